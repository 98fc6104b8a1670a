package io.quorate.storage.values;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The time between two attempts at something that costs much and has failed: short at
 * first, because most of what is in the way is gone soon, and twice as long after each
 * failure, so that attempts take a small part of the time; never longer than a few
 * seconds, because nobody tells when it is gone. Used by one thread at a time.
 */
final class RetryPause {

	private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(5);

	private final LongSupplier nanoTime;

	private long nanos;

	private long begun;

	/**
	 * No pause yet.
	 * @param nanoTime counts as {@link System#nanoTime} does
	 */
	RetryPause(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	/** An attempt has failed: the next one has to wait. */
	void begin() {
		this.nanos = Math.clamp(2 * this.nanos, SHORTEST_NANOS, LONGEST_NANOS);
		this.begun = this.nanoTime.getAsLong();
	}

	/** Whether the next attempt may be made. */
	boolean isOver() {
		return this.nanoTime.getAsLong() - this.begun >= this.nanos;
	}

	/** Nothing has to wait, and the next pause is a short one. */
	void end() {
		this.nanos = 0;
	}

}
