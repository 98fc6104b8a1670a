package io.quorate.process;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The build from which tests start their processes: the jar in pieces with an AOT cache,
 * which {@code bin/aot} makes of it, once for all JVMs that run tests beside each other.
 * Else hundreds of starts would take most of the processor time of all tests.
 */
final class BuiltNode {

	private static final Duration LIMIT = Duration.ofMinutes(3);

	/* Which of the JVMs that run tests beside each other this is. */
	static final int FORK = Integer.getInteger("quorate.fork", 1);

	private static @Nullable Path directory;

	private BuiltNode() {
	}

	/** Arguments of {@code java} that start a node. */
	static List<String> arguments() throws IOException {
		Path pieces = directory();
		return List.of("-XX:AOTCache=" + pieces.resolve("quorate.aot"), "-jar",
				pieces.resolve("quorate.jar").toString());
	}

	private static synchronized Path directory() throws IOException {
		if (directory == null) {
			Path jar = Path.of(System.getProperty("quorate.jar"));
			Path pieces = jar.resolveSibling("node-of-tests");
			try (FileChannel lock = FileChannel.open(jar.resolveSibling("node-of-tests.lock"),
					StandardOpenOption.CREATE, StandardOpenOption.WRITE); FileLock _ = lock.lock()) {
				if (!isMadeFrom(jar, pieces)) {
					make(pieces);
				}
			}
			directory = pieces;
		}
		return directory;
	}

	/* The script gives what it has made the time of the jar. */
	private static boolean isMadeFrom(Path jar, Path pieces) throws IOException {
		Path mark = pieces.resolve("made-from");
		return Files.exists(mark) && Files.getLastModifiedTime(mark).equals(Files.getLastModifiedTime(jar));
	}

	private static void make(Path pieces) throws IOException {
		Path output = pieces.resolveSibling(pieces.getFileName() + ".log");
		ProcessBuilder builder = new ProcessBuilder(Path.of("bin", "aot").toAbsolutePath().toString(),
				pieces.toString());
		builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
		builder.environment().put("QUORATE_JAR", System.getProperty("quorate.jar"));
		Process aot = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
		try {
			assertThat(aot.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).as(Files.readString(output)).isTrue();
		}
		catch (InterruptedException stop) {
			throw new IllegalStateException(stop);
		}
		finally {
			aot.destroy();
		}
		assertThat(aot.exitValue()).as(Files.readString(output)).isZero();
	}

}
