package io.quorate.command.bench;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * The requests of a load, each with the instant at which it is due. Immutable.
 *
 * @param rate requests a second
 * @param reads share of reads, 0 to 1
 * @param warmup time before the first request that is measured, perhaps none
 * @param duration time that is measured
 */
record BenchSchedule(int rate, double reads, Duration warmup, Duration duration) {

	private static final Duration BEHIND = Duration.ofSeconds(5);

	/** The number of all requests. */
	long requests() {
		return firstMeasured() + count(this.duration);
	}

	/** The number of requests that are sent before the first one that is measured. */
	long firstMeasured() {
		return count(this.warmup);
	}

	private long count(Duration time) {
		return time.isZero() ? 0 : Math.max(1, time.toMillis() * this.rate / TimeUnit.SECONDS.toMillis(1));
	}

	/** Nanoseconds from the start of the load until a request is due. */
	long dueNanos(long request) {
		return request * TimeUnit.SECONDS.toNanos(1) / this.rate;
	}

	/** Nanoseconds from the start of the load until its last request is due. */
	long endNanos() {
		return this.warmup.plus(this.duration).toNanos();
	}

	/**
	 * Whether a load is so far behind that it does not send a request any more: what is
	 * measured does not wait for the warm-up.
	 * @param nanos nanoseconds since its start
	 */
	boolean isTooLate(long request, long nanos) {
		long end = (request < firstMeasured()) ? this.warmup.toNanos() : endNanos();
		return nanos > end + BEHIND.toNanos();
	}

	/** Whether a request is a read: reads are spread evenly. */
	boolean isRead(long request) {
		return Math.floor((request + 1) * this.reads) > Math.floor(request * this.reads);
	}

	/** The number of the key of a request, any of so many. */
	static int key(long request, int keys) {
		return new SplittableRandom(request).nextInt(keys);
	}

}
