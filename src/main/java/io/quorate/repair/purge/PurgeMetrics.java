package io.quorate.repair.purge;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.quorate.repair.meter.RepairMeters;
import io.quorate.repair.purge.PurgeView.Why;

/** The meters of purges that are withheld. */
record PurgeMetrics(PurgeView view) implements MeterBinder {

	@Override
	public void bindTo(MeterRegistry registry) {
		for (String peer : this.view.peers()) {
			for (Why why : Why.values()) {
				RepairMeters.PURGE_WITHHELD.gauge(registry, this.view, (its) -> withheld(its, peer, why), peer,
						why.word());
			}
			RepairMeters.PURGE_LOST.gauge(registry, this.view, (its) -> its.isLost(peer) ? 1 : 0, peer);
		}
		RepairMeters.PURGE_HORIZON.gauge(registry, this.view, PurgeView::horizonAgeSeconds);
	}

	private static double withheld(PurgeView view, String peer, Why why) {
		PurgeView.Withheld withheld = view.withheldBecauseOf(peer);
		return (why == withheld.why()) ? withheld.seconds() : 0;
	}

}
