package io.quorate.membership;

import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.quorate.clock.TimeSource;

/** The gauges of the layout. Those of a peer that leaves are removed with all of its. */
record LayoutMetrics(Layouts layouts, LayoutOverview overview, TimeSource time) implements MeterBinder {

	private static final double MILLIS_PER_SECOND = TimeUnit.SECONDS.toMillis(1);

	@Override
	public void bindTo(MeterRegistry registry) {
		MembershipMeters.LAYOUT_VERSION.gauge(registry, this.overview,
				(its) -> its.isMember() ? its.version() : Double.NaN);
		MembershipMeters.LAYOUT_JOINT.gauge(registry, this.overview, (its) -> (its.underWay() != null) ? 1 : 0);
		MembershipMeters.LAYOUT_CHANGE.gauge(registry, this, LayoutMetrics::changeSeconds);
		this.layouts.follow(new LayoutFollower() {

			@Override
			public void joins(Endpoint peer) {
				MembershipMeters.LAYOUT_BLOCKED.gauge(registry, LayoutMetrics.this.overview,
						(its) -> its.isHeldUpBy(peer.id()) ? 1 : 0, peer.id());
			}

		});
	}

	/* The clock of the node that was asked may have been ahead. */
	private double changeSeconds() {
		LayoutChange change = this.overview.underWay();
		return (change != null) ? Math.max(0, this.time.millis() - change.sinceMillis()) / MILLIS_PER_SECOND : 0;
	}

}
