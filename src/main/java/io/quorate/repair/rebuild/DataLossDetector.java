package io.quorate.repair.rebuild;

import io.quorate.internode.LastKnownStatus;
import io.quorate.repair.record.CoveredLosses;
import io.quorate.repair.record.Horizon;
import io.quorate.repair.record.Lineage;
import org.jspecify.annotations.Nullable;

/**
 * Detects a loss of this node's data by what a peer remembers of it.
 *
 * @param lineage history of that data
 * @param compared hybrid time up to which this node was compared with the peer, by its
 * own records
 * @param coveredLosses losses that earlier rebuilds repaired
 */
record DataLossDetector(Lineage lineage, long compared, CoveredLosses coveredLosses) {

	/** Reason for which this node is to be rebuilt, or {@code null} for none. */
	@Nullable String symptom(String peer, LastKnownStatus ofUs) {
		if (ofUs.declaredLost()) {
			return "%s has purged without it: an operator had declared it lost".formatted(peer);
		}
		if (!ofUs.isKnown()) {
			return null;
		}
		String loss = loss(peer, ofUs);
		return (loss != null) ? loss : longAbsence(peer, ofUs);
	}

	/** Whether this node lacks anything that the peer remembers of it. */
	boolean hasLost(String peer, LastKnownStatus ofUs) {
		return ofUs.isKnown() && loss(peer, ofUs) != null;
	}

	/* Of this data's own generations the lineage knows which are settled. */
	private boolean isSettled(LastKnownStatus ofUs) {
		return (!isOfThisData(ofUs) || ofUs.position().generation() == 0)
				&& this.coveredLosses.covers(ofUs.storageId(), ofUs.position().sequence());
	}

	private boolean isOfThisData(LastKnownStatus ofUs) {
		return ofUs.storageId().equals(this.lineage.storageId());
	}

	private @Nullable String loss(String peer, LastKnownStatus ofUs) {
		if (isSettled(ofUs)) {
			return null;
		}
		if (!isOfThisData(ofUs)) {
			return "%s has seen other data of it, %s instead of %s".formatted(peer, ofUs.storageId(),
					this.lineage.storageId());
		}
		return this.lineage.loss(peer, ofUs.position());
	}

	private @Nullable String longAbsence(String peer, LastKnownStatus ofUs) {
		long known = Horizon.higher(compared(ofUs), this.coveredLosses.horizon());
		if (Long.compareUnsigned(ofUs.purgeHorizon(), known) > 0) {
			return "%s has purged up to %x, and was compared with it up to %x".formatted(peer, ofUs.purgeHorizon(),
					known);
		}
		return null;
	}

	/*
	 * A node that was killed may not have recorded its last comparison. The peer's record
	 * of it counts if the peer has compared this very history, which a position of it
	 * shows in which no loss was found, however long ago it was: else the record is about
	 * data that is lost.
	 */
	private long compared(LastKnownStatus ofUs) {
		boolean isVouchedFor = isOfThisData(ofUs) && ofUs.position().generation() != 0;
		return isVouchedFor ? Horizon.higher(this.compared, ofUs.comparedInstant()) : this.compared;
	}

}
