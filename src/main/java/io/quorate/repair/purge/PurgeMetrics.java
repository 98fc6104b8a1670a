package io.quorate.repair.purge;

import java.util.Locale;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.quorate.membership.MemberState;
import io.quorate.membership.Membership;

/**
 * What is withheld from purge and why, and how rebuilds go on.
 *
 * @param since hybrid time at which the process started
 */
record PurgeMetrics(Purging purging, Membership membership, Rebuild rebuild, long since) implements MeterBinder {

	/** Why a peer has not agreed. */
	private enum Why {

		AWAY, REBUILDING, NOT_COMPARED;

		String word() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

	@Override
	public void bindTo(MeterRegistry registry) {
		for (String peer : this.purging.sharing()) {
			for (Why why : Why.values()) {
				RepairMeters.PURGE_WITHHELD.gauge(registry, this, (its) -> its.withheld(peer, why), peer, why.word());
			}
			RepairMeters.PURGE_LOST.gauge(registry, this.purging, (its) -> its.isLost(peer) ? 1 : 0, peer);
		}
		RepairMeters.PURGE_HORIZON.gauge(registry, this.purging, Purging::horizonAgeSeconds);
		RepairMeters.REBUILDING.gauge(registry, this.membership, (its) -> its.isRebuilding() ? 1 : 0);
		RepairMeters.REBUILD_COPIED.gauge(registry, this.rebuild, Rebuild::copied);
	}

	private double withheld(String peer, Why why) {
		return (why == reason(peer)) ? this.purging.withheldSeconds(peer, this.since) : 0;
	}

	private Why reason(String peer) {
		if (this.purging.isRebuilding(peer)) {
			return Why.REBUILDING;
		}
		return (this.membership.stateOf(peer) == MemberState.DISCONNECTED) ? Why.AWAY : Why.NOT_COMPARED;
	}

}
