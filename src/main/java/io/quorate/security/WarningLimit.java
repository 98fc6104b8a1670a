package io.quorate.security;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import org.jspecify.annotations.Nullable;

/**
 * The limit of warnings and errors in a log: the same one of a logger once in a minute,
 * and {@value #MOST} different ones. The next one says how many were left out. When the
 * logger says something else in between at {@code INFO}, things have changed, and the
 * same warning is news. Safe for any number of threads.
 */
final class WarningLimit {

	static final int MOST = 60;

	/* Of one logger. */
	static final int MAX_REMEMBERED = 64;

	/*
	 * What it finds in files it says once, line by line, and each line is of another
	 * loss.
	 */
	private static final String STORAGE = "io.quorate.storage.";

	private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final LongSupplier nanos;

	private final Map<String, Warnings> loggers = new HashMap<>();

	/**
	 * A limit that has admitted nothing yet.
	 * @param nanos the monotonic clock
	 */
	WarningLimit(LongSupplier nanos) {
		this.nanos = nanos;
	}

	/**
	 * What is to be said behind the message, for the lines that were left out; empty for
	 * none, {@code null} if this line is to be left out.
	 */
	@Nullable String admit(ILoggingEvent event) {
		if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
			return admit(event.getLoggerName(), text(event));
		}
		if (event.getLevel() == Level.INFO) {
			passed(event.getLoggerName());
		}
		return "";
	}

	private static String text(ILoggingEvent event) {
		IThrowableProxy thrown = event.getThrowableProxy();
		String words = event.getLevel() + " " + cut(event.getFormattedMessage());
		return (thrown != null)
				? "%s %s %s".formatted(words, thrown.getClassName(), cut(String.valueOf(thrown.getMessage()))) : words;
	}

	/* As it is written. */
	private static String cut(String text) {
		return (text.length() > GuardedEncoder.MAX_LENGTH) ? text.substring(0, GuardedEncoder.MAX_LENGTH) : text;
	}

	private synchronized void passed(String logger) {
		Warnings before = this.loggers.get(logger);
		if (before != null) {
			before.forget();
		}
	}

	private synchronized @Nullable String admit(String logger, String text) {
		long now = this.nanos.getAsLong();
		Warnings its = this.loggers.computeIfAbsent(logger, (_) -> new Warnings(now));
		return its.admit(text, now, logger.startsWith(STORAGE) ? Integer.MAX_VALUE : MOST);
	}

	/** The warnings of one logger. */
	private static final class Warnings {

		/* In the order in which they were said. */
		private final Map<String, Same> same = new LinkedHashMap<>() {

			@Override
			protected boolean removeEldestEntry(Map.Entry<String, Same> eldest) {
				if (size() <= MAX_REMEMBERED) {
					return false;
				}
				Warnings.this.leftOut += eldest.getValue().repeated;
				return true;
			}

		};

		private long begunNanos;

		private int said;

		private long leftOut;

		private Warnings(long now) {
			this.begunNanos = now;
		}

		private void forget() {
			this.leftOut += this.same.values().stream().mapToLong((each) -> each.repeated).sum();
			this.same.clear();
		}

		private @Nullable String admit(String text, long now, int most) {
			Same before = this.same.get(text);
			if (before != null && now - before.saidNanos < INTERVAL_NANOS) {
				before.repeated++;
				return null;
			}
			if (now - this.begunNanos >= INTERVAL_NANOS) {
				this.begunNanos = now;
				this.said = 0;
			}
			if (this.said >= most) {
				this.leftOut++;
				return null;
			}
			this.said++;
			this.same.remove(text);
			this.same.put(text, new Same(now));
			return leftOut((before != null) ? before.repeated : 0);
		}

		private String leftOut(long repeated) {
			String words = (repeated > 0) ? " (%d times more since it was said last)".formatted(repeated) : "";
			if (this.leftOut > 0) {
				words += " (%d other lines were left out before)".formatted(this.leftOut);
				this.leftOut = 0;
			}
			return words;
		}

	}

	/** One warning, and how often it has come since it was said. */
	private static final class Same {

		private final long saidNanos;

		private long repeated;

		private Same(long now) {
			this.saidNanos = now;
		}

	}

}
