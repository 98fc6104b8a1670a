package io.quorate.command;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

import picocli.CommandLine.IVersionProvider;

/** The version of the program, as the build wrote it into the jar. */
final class Version implements IVersionProvider {

	private static final String FILE = "/META-INF/build-info.properties";

	@Override
	public String[] getVersion() {
		return new String[] {
				"quorate %s (Java %s)".formatted(build().getProperty("build.version", "unknown"), Runtime.version()) };
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
