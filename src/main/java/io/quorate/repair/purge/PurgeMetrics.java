package io.quorate.repair.purge;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.quorate.membership.Layout;
import io.quorate.membership.LayoutFollower;
import io.quorate.membership.Layouts;
import io.quorate.repair.meter.RepairMeters;
import io.quorate.repair.purge.PurgeView.Why;

/** The meters of purges that are withheld. */
record PurgeMetrics(PurgeView view, Layouts layouts) implements MeterBinder {

	@Override
	public void bindTo(MeterRegistry registry) {
		this.layouts.follow(new LayoutFollower() {

			@Override
			public void adopted(Layout now) {
				bindPeers(registry);
			}

		});
		bindPeers(registry);
		RepairMeters.PURGE_HORIZON.gauge(registry, this.view, PurgeView::horizonAgeSeconds);
	}

	/* A series that exists is not made again. */
	private void bindPeers(MeterRegistry registry) {
		for (String peer : this.view.peers()) {
			for (Why why : Why.values()) {
				RepairMeters.PURGE_WITHHELD.gauge(registry, this.view, (its) -> withheld(its, peer, why), peer,
						why.word());
			}
			RepairMeters.PURGE_LOST.gauge(registry, this.view, (its) -> its.isLost(peer) ? 1 : 0, peer);
		}
	}

	private static double withheld(PurgeView view, String peer, Why why) {
		PurgeView.Withheld withheld = view.withheldBecauseOf(peer);
		return (why == withheld.why()) ? withheld.seconds() : 0;
	}

}
