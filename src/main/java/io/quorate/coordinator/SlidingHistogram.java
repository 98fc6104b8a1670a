package io.quorate.coordinator;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

import org.jspecify.annotations.Nullable;

/**
 * The times that were recorded in the last minutes, each up to a sixteenth too long. A
 * thread that records never waits. A time that is recorded while a window gives way to
 * the next one may be lost. Safe for any number of threads.
 * <p>
 * Classic buckets as those of the meters would do for a graph: here they would turn 3.1
 * ms into 5.
 */
final class SlidingHistogram {

	/** Time that the histogram covers, about: the oldest tenth is dropped at once. */
	static final Duration SPAN = Duration.ofMinutes(5);

	private static final int WINDOWS = 10;

	private static final long WINDOW_NANOS = SPAN.toNanos() / WINDOWS;

	private static final long NANOS_PER_MICRO = 1000;

	/* Each microsecond below this has a bucket; each power of two above has as many. */
	private static final int STEPS = 16;

	private static final int STEP_BITS = 4;

	/* The last bucket ends at 134 s, beyond any deadline. */
	private static final int LAST = (26 - STEP_BITS + 1) * STEPS + STEPS - 1;

	private final AtomicReferenceArray<@Nullable Window> windows = new AtomicReferenceArray<>(WINDOWS);

	/** The counts of one window of time. */
	private record Window(long number, AtomicLongArray counts) {
	}

	/**
	 * Records a time.
	 * @param nanos the time to record
	 * @param now instant on the monotonic clock
	 */
	void record(long nanos, long now) {
		current(now).counts().incrementAndGet(bucket(nanos));
	}

	private Window current(long now) {
		long number = Math.floorDiv(now, WINDOW_NANOS);
		int place = Math.floorMod(number, WINDOWS);
		Window found = this.windows.get(place);
		if (found != null && found.number() - number >= 0) {
			return found;
		}
		Window fresh = new Window(number, new AtomicLongArray(LAST + 1));
		Window kept = this.windows.compareAndSet(place, found, fresh) ? fresh : this.windows.get(place);
		return (kept != null) ? kept : fresh;
	}

	private static int bucket(long nanos) {
		long micros = Math.max(0, nanos / NANOS_PER_MICRO);
		if (micros < STEPS) {
			return (int) micros;
		}
		int power = Long.SIZE - 1 - Long.numberOfLeadingZeros(micros);
		int step = (int) (micros >>> (power - STEP_BITS)) - STEPS;
		return Math.min(LAST, (power - STEP_BITS + 1) * STEPS + step);
	}

	private static long endNanos(int bucket) {
		if (bucket < STEPS) {
			return (bucket + 1) * NANOS_PER_MICRO;
		}
		int shift = bucket / STEPS - 1;
		return ((long) (bucket % STEPS + STEPS + 1) << shift) * NANOS_PER_MICRO;
	}

	/** Returns the times of the last minutes at an instant of the monotonic clock. */
	Snapshot snapshot(long now) {
		long current = Math.floorDiv(now, WINDOW_NANOS);
		long[] sums = new long[LAST + 1];
		long count = 0;
		for (int place = 0; place < WINDOWS; place++) {
			Window window = this.windows.get(place);
			if (window != null && current - window.number() < WINDOWS) {
				for (int bucket = 0; bucket <= LAST; bucket++) {
					long recorded = window.counts().get(bucket);
					sums[bucket] += recorded;
					count += recorded;
				}
			}
		}
		return new Snapshot(count, sums);
	}

	/** The times of the last minutes. */
	static final class Snapshot {

		private final long count;

		private final long[] sums;

		private Snapshot(long count, long[] sums) {
			this.count = count;
			this.sums = sums;
		}

		long count() {
			return this.count;
		}

		/**
		 * The time that this fraction of the times does not exceed; {@code null} for
		 * none.
		 */
		@Nullable Duration quantile(double quantile) {
			if (this.count == 0) {
				return null;
			}
			long rank = Math.max(1, (long) Math.ceil(quantile * this.count));
			int bucket = 0;
			for (long seen = this.sums[0]; seen < rank; seen += this.sums[bucket]) {
				bucket++;
			}
			return Duration.ofNanos(endNanos(bucket));
		}

	}

}
