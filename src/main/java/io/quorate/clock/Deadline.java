package io.quorate.clock;

import java.time.Duration;

/**
 * The instant on this process' monotonic clock at which nobody waits for a request any
 * more.
 *
 * @param nanos the instant in the terms of {@link System#nanoTime()}
 */
public record Deadline(long nanos) {

	/** The deadline that lies {@code timeout} from now. */
	public static Deadline after(Duration timeout) {
		return new Deadline(System.nanoTime() + timeout.toNanos());
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
