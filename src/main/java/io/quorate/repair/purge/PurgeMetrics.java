package io.quorate.repair.purge;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.quorate.membership.layout.Layout;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.membership.members.Layouts;
import io.quorate.repair.meter.RepairMeters;
import io.quorate.repair.purge.PurgeView.Why;

/** The meters of purges that are withheld. */
record PurgeMetrics(PurgeView view, Layouts layouts) implements MeterBinder {

	@Override
	public void bindTo(MeterRegistry registry) {
		Set<String> bound = ConcurrentHashMap.newKeySet();
		this.layouts.follow(new LayoutFollower() {

			@Override
			public void adopted(Layout now) {
				bindPeers(registry, bound);
			}

			@Override
			public void left(String peer) {
				bound.remove(peer);
			}

		});
		bindPeers(registry, bound);
		RepairMeters.PURGE_HORIZON.gauge(registry, this.view, PurgeView::horizonAgeSeconds);
	}

	private void bindPeers(MeterRegistry registry, Set<String> bound) {
		for (String peer : this.view.peers()) {
			if (!bound.add(peer)) {
				continue;
			}
			for (Why why : Why.values()) {
				RepairMeters.PURGE_WITHHELD.gauge(registry, this.view, (its) -> withheld(its, peer, why), peer,
						why.word());
			}
		}
	}

	private static double withheld(PurgeView view, String peer, Why why) {
		PurgeView.Withheld withheld = view.withheldBecauseOf(peer);
		return (why == withheld.why()) ? withheld.seconds() : 0;
	}

}
