package io.quorate.repair.antientropy;

/**
 * Computes the pauses that keep a rate limit. Unused bytes are not saved up, but for
 * those of a moment. Used by one thread.
 */
final class RateLimiter {

	private static final long NANOS_PER_SECOND = 1_000_000_000;

	/* The bytes of so much time may be used at once. */
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
