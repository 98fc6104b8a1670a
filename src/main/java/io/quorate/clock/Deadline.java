package io.quorate.clock;

import java.time.Duration;

/**
 * The instant on this process' monotonic clock after which nothing is done for a request
 * any more.
 *
 * @param nanos the instant in the terms of {@link System#nanoTime()}
 */
public record Deadline(long nanos) {

	private static final int LAST_PART = 4;

	/** The deadline that lies {@code timeout} from now. */
	public static Deadline after(Duration timeout) {
		return new Deadline(System.nanoTime() + timeout.toNanos());
	}

	/**
	 * The instant from which on a request does all it can to meet the deadline: so late
	 * that few requests reach it, so early that a replica that is asked then can still
	 * answer.
	 * @param begunNanos the instant from which the deadline was counted
	 */
	public long lastChanceNanos(long begunNanos) {
		return this.nanos - (this.nanos - begunNanos) / LAST_PART;
	}

	/** A deadline that does not come, for work that is awaited however long it takes. */
	public static Deadline none() {
		return after(Duration.ofDays(36_500));
	}

	/** Nanoseconds left, negative when the deadline has passed. */
	public long remainingNanos() {
		return this.nanos - System.nanoTime();
	}

	/** Whether it has passed. */
	public boolean isExpired() {
		return remainingNanos() <= 0;
	}

}
