package io.quorate.storage.file;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.OptionalLong;

/**
 * The names of directories by the instant at which they were begun, in milliseconds. In
 * the order of their names they are in the order of time.
 */
public final class InstantName {

	private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss.SSS'Z'")
		.withZone(ZoneOffset.UTC);

	private InstantName() {
	}

	/** The name of an instant. */
	public static String of(long millis) {
		return FORMAT.format(Instant.ofEpochMilli(millis));
	}

	/** The instant that a name stands for, if it is such a name. */
	public static OptionalLong millisOf(String name) {
		try {
			return OptionalLong.of(FORMAT.parse(name, Instant::from).toEpochMilli());
		}
		catch (DateTimeParseException other) {
			return OptionalLong.empty();
		}
	}

}
