package io.quorate.coordinator;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * The time that writes coordinated by this node take until all of their replicas hold
 * them, whether they are answered before or not. A write that a replica has missed has no
 * such time: a hint or a repair brings it there later, at an unknown time; it is counted
 * instead. Safe for any number of threads.
 */
public final class ReplicationLatency {

	private static final double MEDIAN = 0.5;

	private static final double HIGH = 0.99;

	private final Timer timer;

	private final LongSupplier nanoTime;

	private final SlidingHistogram times = new SlidingHistogram();

	/* Histograms like times, to count over the same minutes. */
	private final SlidingHistogram missed = new SlidingHistogram();

	private final SlidingHistogram superseded = new SlidingHistogram();

	/**
	 * Creates a measurement without any writes.
	 * @param nanoTime the monotonic clock
	 */
	public ReplicationLatency(MeterRegistry registry, LongSupplier nanoTime) {
		this.timer = CoordinatorMeters.SPREAD.timer(registry);
		this.nanoTime = nanoTime;
	}

	/**
	 * Records a write attempt that is no longer under way.
	 * @param nanos time since the write began
	 * @param now instant on the monotonic clock
	 */
	void settled(ReplicationOutcome replicationOutcome, long nanos, long now) {
		switch (replicationOutcome) {
			case EVERYWHERE -> {
				this.timer.record(nanos, TimeUnit.NANOSECONDS);
				this.times.record(nanos, now);
			}
			case MISSED -> this.missed.record(nanos, now);
			case SUPERSEDED -> this.superseded.record(nanos, now);
			case NOWHERE -> {
				// Nothing was written.
			}
		}
	}

	/**
	 * The measurements of the last minutes.
	 *
	 * @param span time that they cover, about
	 * @param count writes that are on all of their replicas
	 * @param median time that half of them took at most, {@code null} for none
	 * @param p99 time that 99 of a hundred took at most, {@code null} for none
	 * @param missed writes that a replica has missed, or may have: in none of the above
	 * @param superseded writes beside which a replica holds, or may hold, something
	 * newer: in none of the above. A write that got a new timestamp for that reason is
	 * counted for each timestamp
	 */
	public record Recent(Duration span, long count, @Nullable Duration median, @Nullable Duration p99, long missed,
			long superseded) {
	}

	/** Returns the measurements of the last minutes. Waits for nothing. */
	public Recent recent() {
		long now = this.nanoTime.getAsLong();
		SlidingHistogram.Snapshot all = this.times.snapshot(now);
		return new Recent(SlidingHistogram.SPAN, all.count(), all.quantile(MEDIAN), all.quantile(HIGH),
				this.missed.snapshot(now).count(), this.superseded.snapshot(now).count());
	}

}
