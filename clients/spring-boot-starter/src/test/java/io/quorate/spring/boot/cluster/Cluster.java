package io.quorate.spring.boot.cluster;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A cluster of three processes on this machine, which {@code bin/cluster} runs until the
 * end of all tests.
 */
final class Cluster {

	static final long SLOWNESS = Long.getLong("slowness", 1);

	/** The longest time in seconds that a node takes for a request. */
	static final long NODE_SECONDS = Math.min(30, 20 * SLOWNESS);

	/* Beside those of the tests of the client itself. */
	private static final int FIRST_PORT = Integer.parseInt(System.getenv().getOrDefault("CLUSTER_PORT", "24000")) + 180;

	private static final int INTERNODE = 10;

	private static final int NODES = 3;

	private static @Nullable Cluster running;

	private final Process process;

	/** Returns the cluster, and starts it for the first test. */
	static synchronized Cluster get() {
		try {
			if (running == null) {
				running = new Cluster(Files.createTempDirectory(Path.of("target"), "cluster"));
			}
			assertThat(running.process.isAlive()).isTrue();
			return running;
		}
		catch (IOException | InterruptedException failure) {
			throw new IllegalStateException(failure);
		}
	}

	private Cluster(Path directory) throws IOException, InterruptedException {
		File log = directory.resolve("log").toFile();
		ProcessBuilder builder = new ProcessBuilder(home().resolve("bin/cluster").toString(), Integer.toString(NODES),
				"--data=" + directory.toAbsolutePath(), "--port=" + FIRST_PORT,
				"--internode-port=" + (FIRST_PORT + INTERNODE))
			.redirectErrorStream(true)
			.redirectOutput(log);
		builder.environment().put("QUORATE_JAVA_OPTS", "-Xmx256m");
		Process started = builder.start();
		this.process = started;
		// Also when the JVM of the tests is ended: the nodes would keep their ports.
		Runtime.getRuntime().addShutdownHook(new Thread(started::destroy));
		await(() -> {
			String text = text(log.toPath());
			assertThat(started.isAlive()).as(text).isTrue();
			return text.contains("The cluster is complete");
		});
	}

	List<String> urls() {
		return IntStream.range(0, NODES).mapToObj((i) -> "http://localhost:" + (FIRST_PORT + i)).toList();
	}

	/** Returns the root of the repository. */
	static Path home() {
		return Path.of("").toAbsolutePath().resolve("../..").normalize();
	}

	static String text(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException failure) {
			throw new IllegalStateException(failure);
		}
	}

	static void await(BooleanSupplier condition) throws InterruptedException {
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(180 * SLOWNESS);
		while (!condition.getAsBoolean()) {
			assertThat(System.nanoTime()).as("a moment before the end of the wait").isLessThan(end);
			Thread.sleep(50);
		}
	}

}
