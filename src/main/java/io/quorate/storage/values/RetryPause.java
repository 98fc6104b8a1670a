package io.quorate.storage.values;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The time between two attempts at an expensive operation that has failed. It is short at
 * first, because most obstacles are gone soon, and twice as long after each failure, so
 * that attempts take a small part of the time. It is never longer than a few seconds,
 * because no event reports that the obstacle is gone. Used by one thread at a time.
 */
final class RetryPause {

	private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(5);

	private final LongSupplier nanoTime;

	private long nanos;

	private long begun;

	/**
	 * A pause that has not begun.
	 * @param nanoTime counts as {@link System#nanoTime} does
	 */
	RetryPause(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	/** Notes that an attempt has failed: the next one has to wait. */
	void begin() {
		this.nanos = Math.clamp(2 * this.nanos, SHORTEST_NANOS, LONGEST_NANOS);
		this.begun = this.nanoTime.getAsLong();
	}

	/** Whether the next attempt may be made. */
	boolean isOver() {
		return this.nanoTime.getAsLong() - this.begun >= this.nanos;
	}

	/** Ends the pause, and makes the next one short. */
	void end() {
		this.nanos = 0;
	}

}
