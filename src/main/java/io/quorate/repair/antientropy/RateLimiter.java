package io.quorate.repair.antientropy;

/**
 * Says how long to pause so that a rate is kept. What was not used is not saved up, but
 * for a moment's worth. Used by one thread.
 */
final class RateLimiter {

	private static final long NANOS_PER_SECOND = 1_000_000_000;

	/* So much may be spent at once. */
	private static final long BURST_NANOS = NANOS_PER_SECOND / 20;

	private final long bytesPerSecond;

	private long paidUntilNanos;

	RateLimiter(long bytesPerSecond, long nowNanos) {
		this.bytesPerSecond = bytesPerSecond;
		this.paidUntilNanos = nowNanos;
	}

	/** Nanoseconds to pause after so many bytes. */
	long pauseNanos(long bytes, long nowNanos) {
		if (this.paidUntilNanos - nowNanos < 0) {
			this.paidUntilNanos = nowNanos;
		}
		this.paidUntilNanos += bytes * NANOS_PER_SECOND / this.bytesPerSecond;
		return Math.max(0, this.paidUntilNanos - nowNanos - BURST_NANOS);
	}

}
