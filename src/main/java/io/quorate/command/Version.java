package io.quorate.command;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

import picocli.CommandLine.IVersionProvider;

/** The version of the program, as the build wrote it into the jar. */
final class Version implements IVersionProvider {

	private static final String FILE = "/META-INF/build-info.properties";

	private static final int DAY = "2026-01-01".length();

	@Override
	public String[] getVersion() {
		return new String[] { "quorate %s (Java %s)".formatted(number(), Runtime.version()) };
	}

	/** The version alone. */
	static String number() {
		return build().getProperty("build.version", "unknown");
	}

	/** The day of the build, empty if it is unknown. */
	static String date() {
		String time = build().getProperty("build.time", "");
		return time.substring(0, Math.min(time.length(), DAY));
	}

	private static Properties build() {
		Properties build = new Properties();
		try (InputStream file = Version.class.getResourceAsStream(FILE)) {
			if (file != null) {
				build.load(file);
			}
			return build;
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
	}

}
