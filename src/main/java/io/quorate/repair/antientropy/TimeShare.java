package io.quorate.repair.antientropy;

import java.util.concurrent.TimeUnit;

/**
 * Computes the pause after a piece of work, so that work takes no more than a share of
 * the time. A busy machine works more slowly, and so gets longer pauses. Used by one
 * thread.
 */
final class TimeShare {

	/* A delay that asks for a longer pause was not caused by the size of the work. */
	private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final double pausePerWork;

	private long workingSinceNanos;

	/**
	 * Begins to work.
	 * @param share above 0; 1 for no pauses
	 */
	TimeShare(double share, long nowNanos) {
		this.pausePerWork = (1 - share) / share;
		this.workingSinceNanos = nowNanos;
	}

	/** Nanoseconds to pause after the work since the last pause. */
	long pauseNanos(long nowNanos) {
		double workNanos = (double) Math.max(0, nowNanos - this.workingSinceNanos);
		return Math.min(LONGEST_PAUSE_NANOS, (long) (this.pausePerWork * workNanos));
	}

	/** The next piece of work begins. */
	void resumed(long nowNanos) {
		this.workingSinceNanos = nowNanos;
	}

}
