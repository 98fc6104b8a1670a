package io.quorate.coordinator;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * How long the writes that this node coordinates take until they are on all of their
 * replicas, answered or not. A write that a replica has missed has no such time: a hint
 * or a repair brings it there later, and nobody knows when; it is counted instead. Safe
 * for any number of threads.
 */
public final class ReplicationLatency {

	private static final double MEDIAN = 0.5;

	private static final double HIGH = 0.99;

	private final Timer timer;

	private final Counter missed;

	private final Counter superseded;

	private final LongSupplier nanoTime;

	private final SlidingHistogram times = new SlidingHistogram();

	/* As times, for it counts what they count. */
	private final SlidingHistogram missedLately = new SlidingHistogram();

	private final SlidingHistogram supersededLately = new SlidingHistogram();

	/**
	 * Nothing is measured yet.
	 * @param nanoTime the monotonic clock
	 */
	public ReplicationLatency(MeterRegistry registry, LongSupplier nanoTime) {
		this.timer = CoordinatorMeters.SPREAD.timer(registry);
		this.missed = CoordinatorMeters.WRITES_INCOMPLETE.counter(registry, "missed");
		this.superseded = CoordinatorMeters.WRITES_INCOMPLETE.counter(registry, "superseded");
		this.nanoTime = nanoTime;
	}

	/**
	 * Of a write nothing is under way any more.
	 * @param nanos since it began
	 * @param now on the monotonic clock
	 */
	void settled(ReplicationOutcome replicationOutcome, long nanos, long now) {
		switch (replicationOutcome) {
			case EVERYWHERE -> {
				this.timer.record(nanos, TimeUnit.NANOSECONDS);
				this.times.record(nanos, now);
			}
			case MISSED -> {
				this.missed.increment();
				this.missedLately.record(nanos, now);
			}
			case SUPERSEDED -> {
				this.superseded.increment();
				this.supersededLately.record(nanos, now);
			}
			case NOWHERE -> {
				// Nothing was written.
			}
		}
	}

	/**
	 * What was measured in the last minutes.
	 *
	 * @param span how far back that goes, about
	 * @param count writes that are on all of their replicas
	 * @param median time that half of them took at most, {@code null} for none
	 * @param p99 time that 99 of a hundred took at most, {@code null} for none
	 * @param missed writes that a replica has missed, or may have: in none of the above
	 * @param superseded writes beside which a replica holds, or may hold, something
	 * newer: in none of the above. One that was stamped anew for that is counted for each
	 * stamp
	 */
	public record Recent(Duration span, long count, @Nullable Duration median, @Nullable Duration p99, long missed,
			long superseded) {
	}

	/** What was measured in the last minutes. Waits for nothing. */
	public Recent recent() {
		long now = this.nanoTime.getAsLong();
		SlidingHistogram.Snapshot all = this.times.snapshot(now);
		return new Recent(SlidingHistogram.SPAN, all.count(), all.quantile(MEDIAN), all.quantile(HIGH),
				this.missedLately.snapshot(now).count(), this.supersededLately.snapshot(now).count());
	}

}
