package io.quorate.operations;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;

import io.quorate.clock.TimeSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The age of the Java runtime. Every quarter there is a release with fixes of security: a
 * runtime that is older than that lacks some.
 */
final class RuntimeAge {

	/* A quarter, and a month to take the release. */
	private static final Duration OLDEST = Duration.ofDays(120);

	private static final Logger log = LoggerFactory.getLogger(RuntimeAge.class);

	private RuntimeAge() {
	}

	/** Logs the age of the runtime of this process if it is old. */
	static void sayIfOld() {
		sayIfOld(Runtime.version().toString(), System.getProperty("java.version.date"), TimeSource.SYSTEM);
	}

	/**
	 * Logs the age of a runtime if it is old: no warning, as nothing is wrong today.
	 * @param released the day of its release, {@code null} if it does not say
	 */
	static void sayIfOld(String version, @Nullable String released, TimeSource clock) {
		Instant day = day(released);
		if (day != null) {
			Duration age = Duration.between(day, Instant.ofEpochMilli(clock.millis()));
			if (age.compareTo(OLDEST) > 0) {
				log.info(
						"The Java runtime {} was released {} days ago ({}), and newer ones have fixes of security: take a newer one, or make the image anew with one",
						version, age.toDays(), released);
			}
		}
	}

	private static @Nullable Instant day(@Nullable String released) {
		try {
			return (released != null) ? LocalDate.parse(released).atStartOfDay(ZoneOffset.UTC).toInstant() : null;
		}
		catch (DateTimeException other) {
			return null;
		}
	}

}
