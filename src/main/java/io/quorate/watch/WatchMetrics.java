package io.quorate.watch;

import java.util.function.ToIntFunction;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/** The measurements of watches. The gauges are of the last tick. */
final class WatchMetrics {

	private final Counter byMajority;

	private final Counter byRead;

	private volatile Counts counts = new Counts(0, 0, 0);

	/** The watches in each state. */
	private record Counts(int live, int behind, int stalled) {
	}

	WatchMetrics(MeterRegistry registry) {
		this.byMajority = WatchMeters.EVENTS.counter(registry, "majority");
		this.byRead = WatchMeters.EVENTS.counter(registry, "read");
		gauge(registry, "live", Counts::live);
		gauge(registry, "behind", Counts::behind);
		gauge(registry, "stalled", Counts::stalled);
	}

	private void gauge(MeterRegistry registry, String state, ToIntFunction<Counts> count) {
		WatchMeters.ACTIVE.gauge(registry, this, (metrics) -> count.applyAsInt(metrics.counts), state);
	}

	void confirmedByMajority() {
		this.byMajority.increment();
	}

	void confirmedByRead() {
		this.byRead.increment();
	}

	/** Takes note of the watches in each state. */
	void count(int live, int behind, int stalled) {
		this.counts = new Counts(live, behind, stalled);
	}

}
