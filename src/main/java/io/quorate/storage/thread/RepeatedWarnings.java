package io.quorate.storage.thread;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * The warnings of work that is tried again and again: of each subject the first one is to
 * be logged, and then at most one in a minute, with the number of those before it. Safe
 * for any number of threads; the latest subjects are remembered, a bounded number.
 */
public final class RepeatedWarnings {

	/* Enough for every member. */
	static final int MAX_REMEMBERED = 256;

	private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final Map<String, Said> said = new LinkedHashMap<>(16, 0.75f, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, Said> eldest) {
			return size() > MAX_REMEMBERED;
		}

	};

	/** The last line about a subject, and the number of warnings since. */
	private record Said(long nanos, long since) {
	}

	/**
	 * Counts a warning.
	 * @param nanos the monotonic clock
	 * @return end of the line, with the number of warnings since the line before;
	 * {@code null} when no line is due
	 */
	public synchronized @Nullable String due(String subject, long nanos) {
		Said before = this.said.get(subject);
		if (before != null && nanos - before.nanos() < INTERVAL_NANOS) {
			this.said.put(subject, new Said(before.nanos(), before.since() + 1));
			return null;
		}
		this.said.put(subject, new Said(nanos, 0));
		return (before != null && before.since() > 0)
				? " (%d times since the line before)".formatted(before.since() + 1) : "";
	}

}
