package io.quorate.load;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A cluster that {@code bin/cluster} runs for one simulation. Its logs stay where its
 * data were. Thread-safe.
 */
final class LocalCluster {

	/* The script builds the product first when it has not been built. */
	private static final long START_MINUTES = 10;

	private static final long STOP_SECONDS = 60;

	private final Options options;

	private final Path data;

	private final Process process;

	private final CompletableFuture<Void> complete = new CompletableFuture<>();

	private boolean stopped;

	private LocalCluster(Options options, Path data) throws IOException {
		this.options = options;
		this.data = data;
		this.process = new ProcessBuilder("bin/cluster", Integer.toString(options.nodes()), "--data", data.toString(),
				"--port", Integer.toString(options.port()), "--internode-port",
				Integer.toString(options.internodePort()))
			.redirectErrorStream(true)
			.start();
	}

	/**
	 * Starts it with empty directories and returns when it is complete; it ends with this
	 * process at the latest.
	 * @throws IllegalStateException if one runs there already, which keeps its data, or
	 * if it does not come up; what it said is on the standard output
	 */
	static LocalCluster start(Options options, Path data) {
		try {
			requireUnused(data.toAbsolutePath().normalize());
			deleteTree(data);
			Files.createDirectories(data);
			LocalCluster cluster = new LocalCluster(options, data.toAbsolutePath());
			Runtime.getRuntime().addShutdownHook(new Thread(cluster::stop, "cluster-stop"));
			Thread.ofVirtual().name("cluster-output").start(cluster::showOutput);
			cluster.awaitComplete();
			return cluster;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Where the nodes of such a cluster are, in the order of their names. */
	static List<String> urls(Options options) {
		return IntStream.range(0, options.nodes())
			.mapToObj((index) -> "http://127.0.0.1:" + (options.port() + index))
			.toList();
	}

	/** Ends it in order and deletes its data; once. */
	synchronized void stop() {
		if (this.stopped) {
			return;
		}
		this.stopped = true;
		this.process.destroy();
		try {
			if (!this.process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
				System.out
					.println("The cluster does not end: 'bin/cluster stop --data " + this.data + "' ends its nodes.");
				this.process.destroyForcibly();
				return;
			}
			for (int index = 0; index < this.options.nodes(); index++) {
				deleteTree(this.data.resolve("n" + index).resolve("data"));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (IOException ex) {
			System.out.println("The data of the cluster are left under " + this.data + ": " + ex);
		}
	}

	/**
	 * Kills a node at once (SIGKILL).
	 * @param data directory of the cluster that the node belongs to
	 * @throws IllegalStateException if there is no such node, or it does not run
	 */
	static void kill(Path data, String node) {
		find(data, node).destroyForcibly();
	}

	/**
	 * Fails unless such a node runs.
	 * @param data directory of the cluster that the node belongs to
	 * @throws IllegalStateException if there is no such node, or it does not run
	 */
	static void requireRunning(Path data, String node) {
		find(data, node);
	}

	private static ProcessHandle find(Path data, String node) {
		Path directory = data.toAbsolutePath().normalize().resolve(node);
		return process(directory.resolve("pid"), directory.resolve("data").toString())
			.orElseThrow(() -> new IllegalStateException("No node " + node + " runs under " + data));
	}

	private static void requireUnused(Path data) {
		if (!Files.exists(data)) {
			return;
		}
		try (Stream<Path> nodes = Files.list(data)) {
			boolean nodeRuns = nodes
				.anyMatch((node) -> process(node.resolve("pid"), node.resolve("data").toString()).isPresent());
			if (nodeRuns || process(data.resolve("runner"), "cluster").isPresent()) {
				throw new IllegalStateException(
						"A cluster runs under " + data + " already: 'bin/cluster stop --data " + data + "' ends it");
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/*
	 * Whose id is in this file, if it runs; a process of the same id without this word in
	 * its command line is another one.
	 */
	private static Optional<ProcessHandle> process(Path file, String word) {
		try {
			return ProcessHandle.of(Long.parseLong(Files.readString(file).strip()))
				.filter((process) -> process.info().commandLine().orElse("").contains(word));
		}
		catch (IOException | NumberFormatException notThere) {
			return Optional.empty();
		}
	}

	private void showOutput() {
		try (BufferedReader output = this.process.inputReader()) {
			String line = output.readLine();
			while (line != null) {
				System.out.println("bin/cluster: " + line);
				if (line.startsWith("The cluster is complete")) {
					this.complete.complete(null);
				}
				line = output.readLine();
			}
		}
		catch (IOException ex) {
			System.out.println("bin/cluster: " + ex);
		}
		this.complete.completeExceptionally(new IllegalStateException("bin/cluster has ended"));
	}

	private void awaitComplete() {
		try {
			this.complete.get(START_MINUTES, TimeUnit.MINUTES);
		}
		catch (InterruptedException | ExecutionException | TimeoutException ex) {
			throw new IllegalStateException("The cluster did not come up; its logs are under " + this.data, ex);
		}
	}

	private static void deleteTree(Path root) throws IOException {
		if (!Files.exists(root)) {
			return;
		}
		try (Stream<Path> paths = Files.walk(root)) {
			for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
				Files.delete(path);
			}
		}
	}

}
