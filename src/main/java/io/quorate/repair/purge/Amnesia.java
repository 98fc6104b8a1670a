package io.quorate.repair.purge;

import java.util.UUID;

import io.quorate.internode.Recollection;
import org.jspecify.annotations.Nullable;

/**
 * How this node learns from a peer that it has lost something. Pure.
 *
 * @param storageId identity of this node's data
 * @param durableSequence highest sequence such that everything up to it is durable
 * @param compared hybrid time up to which it was compared with the peer, as far as it
 * knows itself
 * @param settled what earlier rebuilds have made good
 */
record Amnesia(UUID storageId, long durableSequence, long compared, Settled settled) {

	/** Why this node is to be rebuilt, or {@code null} when it is not. */
	@Nullable String symptom(String peer, Recollection ofUs) {
		if (ofUs.declaredLost()) {
			return "%s has purged without it: an operator had declared it lost".formatted(peer);
		}
		if (!ofUs.isOfSomebody()) {
			return null;
		}
		String loss = this.settled.covers(ofUs.storageId(), ofUs.durableSequence()) ? null : loss(peer, ofUs);
		return (loss != null) ? loss : longAbsence(peer, ofUs);
	}

	private @Nullable String loss(String peer, Recollection ofUs) {
		if (!ofUs.storageId().equals(this.storageId)) {
			return "%s has seen other data of it, %s instead of %s".formatted(peer, ofUs.storageId(), this.storageId);
		}
		if (ofUs.durableSequence() > this.durableSequence) {
			return "%s has seen %d entries of it, %d are there".formatted(peer, ofUs.durableSequence(),
					this.durableSequence);
		}
		return null;
	}

	private @Nullable String longAbsence(String peer, Recollection ofUs) {
		long known = Horizon.higher(Horizon.higher(this.compared, ofUs.comparedInstant()), this.settled.horizon());
		if (Long.compareUnsigned(ofUs.purgeHorizon(), known) > 0) {
			return "%s has purged up to %x, and was compared with it up to %x".formatted(peer, ofUs.purgeHorizon(),
					known);
		}
		return null;
	}

}
