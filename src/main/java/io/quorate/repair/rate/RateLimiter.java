package io.quorate.repair.rate;

import java.time.Duration;

/**
 * A rate limit in bytes a second (token bucket). What is larger than the bytes that are
 * left may be used as well, and is paid for afterwards. Bytes beyond a burst are not
 * saved up. Used by one thread; all instants are those of one monotonic clock, in
 * nanoseconds.
 */
public final class RateLimiter {

	private static final long NANOS_PER_SECOND = Duration.ofSeconds(1).toNanos();

	private final long bytesPerSecond;

	private final long burstNanos;

	/* The bytes since then are left; none while it is ahead of the present. */
	private long paidUntilNanos;

	private RateLimiter(long bytesPerSecond, long burstNanos, long paidUntilNanos) {
		this.bytesPerSecond = bytesPerSecond;
		this.burstNanos = burstNanos;
		this.paidUntilNanos = paidUntilNanos;
	}

	/**
	 * A limit of which a whole burst is left.
	 * @param burst time whose bytes may be used at once
	 */
	public static RateLimiter full(long bytesPerSecond, Duration burst, long nowNanos) {
		return new RateLimiter(bytesPerSecond, burst.toNanos(), nowNanos - burst.toNanos());
	}

	/**
	 * A limit of which nothing is left yet.
	 * @param burst time whose bytes may be used at once
	 */
	public static RateLimiter empty(long bytesPerSecond, Duration burst, long nowNanos) {
		return new RateLimiter(bytesPerSecond, burst.toNanos(), nowNanos);
	}

	/** Whether any bytes are left. */
	public boolean isLeft(long nowNanos) {
		return this.paidUntilNanos - nowNanos < 0;
	}

	/** Uses bytes, more than are left included. */
	public void use(long bytes, long nowNanos) {
		if (this.paidUntilNanos - nowNanos < -this.burstNanos) {
			this.paidUntilNanos = nowNanos - this.burstNanos;
		}
		this.paidUntilNanos += bytes * NANOS_PER_SECOND / this.bytesPerSecond;
	}

	/** Uses bytes, and returns the nanoseconds to pause afterwards. */
	public long pauseNanos(long bytes, long nowNanos) {
		use(bytes, nowNanos);
		return Math.max(0, this.paidUntilNanos - nowNanos);
	}

}
