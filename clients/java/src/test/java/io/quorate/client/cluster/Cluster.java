package io.quorate.client.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;

import static org.assertj.core.api.Assertions.assertThat;

/** A cluster of processes on this machine, which {@code bin/cluster} runs. */
final class Cluster {

	private static final int FIRST_PORT = Integer.parseInt(System.getenv().getOrDefault("CLUSTER_PORT", "24000"));

	private final Path data;

	private final Path log;

	private final int port;

	private final int nodes;

	private final String scheme;

	private final Process process;

	/**
	 * Starts a cluster.
	 * @param data its directory
	 * @param nodes the number of its nodes
	 * @param offset the place of its ports behind the first one
	 * @param options more options
	 */
	Cluster(Path data, int nodes, int offset, String... options) throws IOException {
		this.data = data;
		this.log = data.resolve("log");
		this.port = FIRST_PORT + 100 + offset;
		this.nodes = nodes;
		this.scheme = List.of(options).contains("--secure") ? "https" : "http";
		List<String> command = new ArrayList<>(List.of(command(), Integer.toString(nodes), "--data=" + data,
				"--port=" + this.port, "--internode-port=" + (this.port + 50)));
		command.addAll(List.of(options));
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(this.log.toFile());
		builder.environment().put("QUORATE_JAVA_OPTS", "-Xmx256m");
		Process started = builder.start();
		this.process = started;
		// Also when the JVM of the tests is ended: the nodes would keep their ports.
		Runtime.getRuntime().addShutdownHook(new Thread(started::destroy));
	}

	private static String command() {
		return Processes.home().resolve("bin/cluster").toString();
	}

	Path data() {
		return this.data;
	}

	List<String> urls() {
		return IntStream.range(0, this.nodes).mapToObj((i) -> this.scheme + "://localhost:" + (this.port + i)).toList();
	}

	void awaitComplete() throws InterruptedException {
		await(() -> {
			assertThat(this.process.isAlive()).as(logged()).isTrue();
			return logged().contains("The cluster is complete");
		});
	}

	private String logged() {
		try {
			return Files.readString(this.log);
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
	}

	/** Kills a node, and waits until its process is gone. */
	void kill(int node) throws IOException, InterruptedException {
		long pid = Long.parseLong(Files.readString(this.data.resolve("n" + node + "/pid")).strip());
		ProcessHandle handle = ProcessHandle.of(pid).orElseThrow();
		assertThat(handle.destroyForcibly()).isTrue();
		await(() -> !handle.isAlive());
	}

	/** Starts a node that was killed, and waits until it serves. */
	void start(int node) throws InterruptedException {
		Processes.output(Map.of("QUORATE_JAVA_OPTS", "-Xmx256m"),
				List.of(command(), "start", "n" + node, "--data=" + this.data));
		try (QuorateClient client = QuorateClient.of(urls().get(node))) {
			await(() -> isReady(client));
		}
	}

	private static boolean isReady(QuorateClient client) {
		try {
			return client.status().state().equals("ready");
		}
		catch (QuorateException notYet) {
			return false;
		}
	}

	static void await(BooleanSupplier condition) throws InterruptedException {
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(180 * Processes.SLOWNESS);
		while (!condition.getAsBoolean()) {
			assertThat(System.nanoTime()).as("a moment before the end of the wait").isLessThan(end);
			Thread.sleep(50);
		}
	}

	void stop() throws InterruptedException {
		this.process.destroy();
		assertThat(this.process.waitFor(100 * Processes.SLOWNESS, TimeUnit.SECONDS)).isTrue();
	}

}
