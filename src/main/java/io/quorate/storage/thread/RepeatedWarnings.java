package io.quorate.storage.thread;

import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * The warnings of work that is tried again and again, and names another file or number
 * each time, by which the guard of the log takes each for news: the first one is to be
 * logged, and then at most one in a minute, with the number of those before it. Safe for
 * any number of threads.
 */
public final class RepeatedWarnings {

	private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

	private @Nullable Said said;

	/** The last line, and the number of warnings since. */
	private record Said(long nanos, long since) {
	}

	/**
	 * Counts a warning.
	 * @param nanos the monotonic clock
	 * @return end of the line, with the number of warnings since the line before;
	 * {@code null} when no line is due
	 */
	public synchronized @Nullable String due(long nanos) {
		Said before = this.said;
		if (before != null && nanos - before.nanos() < INTERVAL_NANOS) {
			this.said = new Said(before.nanos(), before.since() + 1);
			return null;
		}
		this.said = new Said(nanos, 0);
		return (before != null && before.since() > 0)
				? " (%d times since the line before)".formatted(before.since() + 1) : "";
	}

}
