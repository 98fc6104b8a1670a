package io.quorate.repair.antientropy;

import java.util.concurrent.TimeUnit;

/**
 * Says how long to pause after a piece of work so that no more than a share of the time
 * is spent on work. A machine that is busy does the work more slowly and so gets longer
 * pauses. Used by one thread.
 */
final class TimeShare {

	/* What held a piece of work up for so long was not its size. */
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
