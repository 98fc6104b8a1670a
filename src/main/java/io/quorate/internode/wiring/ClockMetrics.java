package io.quorate.internode.wiring;

import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.quorate.clock.HybridClock;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.TimeSource;
import io.quorate.internode.InternodeMeters;
import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.layout.LayoutFollower;
import io.quorate.membership.members.Layouts;
import org.jspecify.annotations.Nullable;

/** The gauges of this node's clocks and of the other members' clocks. */
record ClockMetrics(Layouts layouts, HybridClock clock, SkewJudge judge, TimeSource time) implements MeterBinder {

	private static final double MILLIS_PER_SECOND = TimeUnit.SECONDS.toMillis(1);

	@Override
	public void bindTo(MeterRegistry registry) {
		InternodeMeters.CLOCK_OFFSET.gauge(registry, this, ClockMetrics::offset);
		InternodeMeters.CLOCK_AHEAD.gauge(registry, this, ClockMetrics::ahead);
		this.layouts.follow(new LayoutFollower() {

			@Override
			public void joins(Endpoint peer) {
				String id = peer.id();
				InternodeMeters.MEMBER_CLOCK_OFFSET.gauge(registry, ClockMetrics.this, (its) -> its.offsetOf(id), id);
			}

			@Override
			public void left(String peer) {
				ClockMetrics.this.judge.forget(peer);
			}

		});
	}

	private double offset() {
		return (this.time.millis() - this.judge.medianMillis()) / MILLIS_PER_SECOND;
	}

	private double offsetOf(String member) {
		@Nullable Long millis = this.judge.memberMillis(member);
		return (millis != null) ? (millis - this.time.millis()) / MILLIS_PER_SECOND : Double.NaN;
	}

	private double ahead() {
		return (this.clock.currentMillis() - this.time.millis()) / MILLIS_PER_SECOND;
	}

}
