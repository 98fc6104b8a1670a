package io.quorate.client.cluster;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** The processes that tests start, which end in time. */
final class Processes {

	static final long SLOWNESS = Long.getLong("slowness", 1);

	private Processes() {
	}

	/**
	 * Runs a command, and returns its output.
	 * @param environment additions to the environment
	 * @param command the command
	 */
	static String output(Map<String, String> environment, List<String> command) {
		File output = temporaryFile();
		try {
			ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output);
			builder.environment().putAll(environment);
			Process process = builder.start();
			boolean hasEnded = process.waitFor(120 * SLOWNESS, TimeUnit.SECONDS);
			if (!hasEnded) {
				process.destroyForcibly();
			}
			String text = Files.readString(output.toPath(), StandardCharsets.UTF_8);
			assertThat(hasEnded && process.exitValue() == 0).as("%s: %s", command, text).isTrue();
			return text;
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
		catch (InterruptedException interrupt) {
			throw new IllegalStateException(interrupt);
		}
		finally {
			assertThat(output.delete()).isTrue();
		}
	}

	private static File temporaryFile() {
		try {
			return Files.createTempFile("quorate", ".out").toFile();
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
	}

	/** Returns the output of {@code curl}, past all proxies. */
	static String curl(String... arguments) {
		List<String> command = new ArrayList<>(
				List.of("curl", "-sS", "--fail-with-body", "--max-time", "30", "--noproxy", "*"));
		command.addAll(List.of(arguments));
		return output(Map.of(), command);
	}

	/** Returns the root of the repository. */
	static Path home() {
		return Path.of("").toAbsolutePath().resolve("../..").normalize();
	}

}
