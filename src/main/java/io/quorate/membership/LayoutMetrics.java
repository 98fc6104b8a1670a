package io.quorate.membership;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/** The gauges of the layout. Those of a peer that leaves are removed with all of its. */
record LayoutMetrics(Layouts layouts, LayoutOverview overview) implements MeterBinder {

	@Override
	public void bindTo(MeterRegistry registry) {
		MembershipMeters.LAYOUT_VERSION.gauge(registry, this.overview,
				(its) -> its.isMember() ? its.version() : Double.NaN);
		MembershipMeters.LAYOUT_JOINT.gauge(registry, this.overview, (its) -> (its.underWay() != null) ? 1 : 0);
		this.layouts.follow(new LayoutFollower() {

			@Override
			public void joins(Endpoint peer) {
				MembershipMeters.LAYOUT_BLOCKED.gauge(registry, LayoutMetrics.this.overview,
						(its) -> its.isHeldUpBy(peer.id()) ? 1 : 0, peer.id());
			}

		});
	}

}
