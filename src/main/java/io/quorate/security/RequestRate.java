package io.quorate.security;

import java.util.concurrent.TimeUnit;

/**
 * A rate limit: a token bucket that holds the requests of one second. Safe for any number
 * of threads.
 */
public final class RequestRate {

	private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

	private volatile int perSecond;

	private long credits;

	private long lastNanos;

	/** A limit that was not used for a second. */
	public RequestRate(int perSecond, long nanos) {
		this.perSecond = perSecond;
		this.credits = perSecond * SECOND_NANOS;
		this.lastNanos = nanos;
	}

	/** Most requests in a second. */
	public int perSecond() {
		return this.perSecond;
	}

	/**
	 * Changes the limit; what is left of this second stays, as far as it is within it.
	 */
	public synchronized void limit(int another) {
		this.perSecond = another;
	}

	/** Takes one request, if it is within the limit. */
	public synchronized boolean take(long nanos) {
		if (!has(nanos)) {
			return false;
		}
		this.credits -= SECOND_NANOS;
		return true;
	}

	/** Whether there is one request within the limit. */
	public synchronized boolean has(long nanos) {
		long passed = Math.clamp(nanos - this.lastNanos, 0, SECOND_NANOS);
		this.lastNanos = Math.max(nanos, this.lastNanos);
		this.credits = Math.min(this.perSecond * SECOND_NANOS, this.credits + passed * this.perSecond);
		return this.credits >= SECOND_NANOS;
	}

}
