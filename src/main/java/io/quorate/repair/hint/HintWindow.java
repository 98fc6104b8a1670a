package io.quorate.repair.hint;

import java.time.Duration;

/**
 * The bound of hints that may be under way to a member at once: one more for each round
 * in which the member answers about as fast as it lately could, half as many when it
 * takes longer.
 * <p>
 * Additive increase and multiplicative decrease, after Chiu and Jain, "Analysis of the
 * increase and decrease algorithms for congestion avoidance", 1989.
 */
final class HintWindow {

	static final int MOST = 64;

	private static final long FLOOR_PERIOD_NANOS = Duration.ofSeconds(10).toNanos();

	/* One fsync of the log more or less is no sign of load. */
	private static final long SLACK_NANOS = Duration.ofMillis(2).toNanos();

	private static final int SMOOTHING = 8;

	private double size = 1;

	private long smoothedNanos;

	private long floorNanos = Long.MAX_VALUE;

	private long floorBeforeNanos = Long.MAX_VALUE;

	private long floorSince;

	private long cutAt = Long.MIN_VALUE;

	/** Number of hints that may be under way. */
	int size() {
		return (int) this.size;
	}

	/**
	 * Records that the member has taken a hint, with the times of both in nanoseconds.
	 */
	void taken(long sentNanos, long takenNanos) {
		long latency = Math.max(1, takenNanos - sentNanos);
		noteFloor(latency, takenNanos);
		this.smoothedNanos = (this.smoothedNanos == 0) ? latency
				: this.smoothedNanos + (latency - this.smoothedNanos) / SMOOTHING;
		if (this.smoothedNanos <= 2 * Math.min(this.floorNanos, this.floorBeforeNanos) + SLACK_NANOS) {
			this.size = Math.min(MOST, this.size + 1 / this.size);
		}
		else if (this.cutAt == Long.MIN_VALUE || sentNanos - this.cutAt >= 0) {
			this.size = Math.max(1, this.size / 2);
			this.cutAt = takenNanos;
		}
	}

	private void noteFloor(long latency, long now) {
		if (this.floorNanos == Long.MAX_VALUE) {
			this.floorSince = now;
		}
		else if (now - this.floorSince > FLOOR_PERIOD_NANOS) {
			this.floorBeforeNanos = this.floorNanos;
			this.floorNanos = Long.MAX_VALUE;
			this.floorSince = now;
		}
		this.floorNanos = Math.min(this.floorNanos, latency);
	}

	/** Begins anew: the member has refused a hint, or has not answered. */
	void failed() {
		this.size = 1;
		this.smoothedNanos = 0;
	}

}
