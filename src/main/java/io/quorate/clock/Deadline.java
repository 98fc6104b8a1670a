package io.quorate.clock;

import java.time.Duration;

/**
 * The instant on this process' monotonic clock at which nobody waits for a request any
 * more.
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
	 * From when on nothing may be left undone to meet it: so late that few get there, so
	 * early that who is asked then can still answer.
	 * @param begunNanos the instant from which it was counted
	 */
	public long lastChanceNanos(long begunNanos) {
		return this.nanos - (this.nanos - begunNanos) / LAST_PART;
	}

	/** A deadline that does not come: of work that is awaited however long it takes. */
	public static Deadline none() {
		return after(Duration.ofDays(36_500));
	}

	/** Nanoseconds left, negative when it has passed. */
	public long remainingNanos() {
		return this.nanos - System.nanoTime();
	}

	/** Whether it has passed. */
	public boolean isExpired() {
		return remainingNanos() <= 0;
	}

}
