package io.quorate.command;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The training of an AOT cache: a node on loopback, with its data in a temporary
 * directory, that warms itself up for long, is sent some thousand requests, and writes
 * the cache when it is stopped. Closing it ends the node and deletes what it has left; so
 * does the end of this process.
 */
final class AotTraining implements Closeable {

	/* Of it a minute for the warm-up. */
	private static final Duration START = Duration.ofMinutes(3);

	private static final Duration STOP = Duration.ofMinutes(2);

	private static final Duration REQUEST = Duration.ofSeconds(60);

	private static final Duration PAUSE = Duration.ofMillis(100);

	private static final Pattern PORT = Pattern.compile("Netty started on port (\\d+) ");

	/* Requests as programs send them, for what the warm-up leaves out. */
	private static final int KEYS = 500;

	private static final int LINES = 25;

	private static final byte[] SMALL = bytes(100);

	private static final byte[] LARGE = bytes(1_000_000);

	private final Path cache;

	private final Path directory;

	private final Thread hook = new Thread(this::endQuietly, "aot-training-end");

	private @Nullable Process node;

	private boolean isEnded;

	private AotTraining(Path cache, Path directory) {
		this.cache = cache;
		this.directory = directory;
		Runtime.getRuntime().addShutdownHook(this.hook);
	}

	/**
	 * A training for a cache, with its files in a new directory beside it.
	 * @throws IOException if none can be made there
	 */
	static AotTraining beside(Path cache) throws IOException {
		Path parent = cache.toAbsolutePath().getParent();
		if (parent == null || !Files.isWritable(parent)) {
			throw new IOException("there is no cache: " + parent + " cannot be written");
		}
		return new AotTraining(cache, Files.createTempDirectory(parent, cache.getFileName() + "."));
	}

	/**
	 * Runs the node and puts the cache into its place, instead of one that is there.
	 * @param java the JVM, its flags, and the jar
	 * @param requests number of those by which the node warms itself up
	 * @param environment the variables of this process: the node does not get those of
	 * Quorate, which it would take for properties
	 * @throws IOException if the node does not start, answers wrongly, does not stop, or
	 * writes no cache; the message has the end of its log
	 */
	void run(List<String> java, int requests, Map<String, String> environment) throws IOException {
		Path made = this.directory.resolve("made");
		Process process = start(command(java, made, requests), environment);
		try {
			URI url = URI.create("http://127.0.0.1:" + port(process));
			try (HttpClient client = NodeAccess.of(null, null).client(REQUEST, List.of(url))) {
				train(client, url, process);
			}
			process.destroy();
			if (!process.waitFor(STOP.toSeconds(), TimeUnit.SECONDS)) {
				throw failed("the node did not stop within " + STOP.toSeconds() + " s");
			}
		}
		catch (InterruptedException stop) {
			Thread.currentThread().interrupt();
			throw new IOException("there is no cache: the command was interrupted", stop);
		}
		if (!Files.isRegularFile(made) || Files.size(made) == 0) {
			throw failed("the JVM has written none");
		}
		Files.move(made, this.cache, StandardCopyOption.ATOMIC_MOVE);
	}

	private List<String> command(List<String> java, Path made, int requests) {
		List<String> command = new ArrayList<>(java);
		command.add(java.indexOf("-jar"), "-XX:AOTCacheOutput=" + made);
		command.addAll(List.of(Program.SERVER, "--server.port=0", "--server.address=127.0.0.1",
				"--quorate.storage.directory=" + this.directory.resolve("data"),
				"--quorate.warm-up.requests=" + requests, "--quorate.warm-up.limit=1m"));
		return command;
	}

	/* Not in the user's directory: its configuration must not get into the cache. */
	private Process start(List<String> command, Map<String, String> environment) throws IOException {
		ProcessBuilder builder = new ProcessBuilder(command).directory(this.directory.toFile());
		builder.environment().clear();
		environment.forEach((name, value) -> {
			if (!name.startsWith("QUORATE_")) {
				builder.environment().put(name, value);
			}
		});
		builder.redirectErrorStream(true).redirectOutput(log().toFile());
		synchronized (this) {
			if (this.isEnded) {
				throw new IOException("there is no cache: the command was ended");
			}
			Process process = builder.start();
			this.node = process;
			return process;
		}
	}

	/* The node takes a free one, and says which. */
	private int port(Process process) throws IOException, InterruptedException {
		long deadline = System.nanoTime() + START.toNanos();
		while (true) {
			Matcher line = PORT.matcher(logged());
			if (line.find()) {
				return Integer.parseInt(line.group(1));
			}
			if (!pause(process, deadline)) {
				throw failed("the node did not start within " + START.toSeconds() + " s");
			}
		}
	}

	/* Whether it goes on, for a moment. */
	private boolean pause(Process process, long deadline) throws IOException, InterruptedException {
		if (process.waitFor(PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
			throw failed("the node ended");
		}
		return System.nanoTime() - deadline < 0;
	}

	private void train(HttpClient client, URI url, Process process) throws IOException, InterruptedException {
		NodeAccess access = NodeAccess.of(null, null);
		long deadline = System.nanoTime() + START.toNanos();
		while (status(client, access.request(url, "/actuator/health/readiness").GET()) != 200) {
			if (!pause(process, deadline)) {
				throw failed("the node did not become ready within " + START.toSeconds() + " s");
			}
		}
		for (Step step : steps()) {
			int status = status(client, step.request(access, url));
			if (status != step.status()) {
				throw failed(step.method() + " " + step.path() + " was answered " + status + " in place of "
						+ step.status());
			}
		}
	}

	private static int status(HttpClient client, HttpRequest.Builder request) throws IOException, InterruptedException {
		return client.send(request.timeout(REQUEST).build(), BodyHandlers.discarding()).statusCode();
	}

	private static List<Step> steps() {
		List<Step> steps = new ArrayList<>();
		for (int i = 0; i < KEYS; i++) {
			String key = "/v0/entity?id=key-" + i;
			steps.add(Step.of("PUT", key, SMALL, 201));
			steps.add(Step.of("GET", key, 200));
			steps.add(Step.of("PUT", key + "&replicas=1/1&ttl=3600", SMALL, 201));
			steps.add(Step.of("HEAD", key + "&replicas=1/1", 200));
			steps.add(Step.of("GET", "/v0/entity?id=none-" + i, 404));
		}
		for (int i = 0; i < KEYS / 10; i++) {
			steps.add(Step.of("DELETE", "/v0/entity?id=key-" + i, 202));
		}
		for (int i = 0; i < 5; i++) {
			steps.add(Step.of("PUT", "/v0/entity?id=large-" + i, LARGE, 201));
			steps.add(Step.of("GET", "/v0/entity?id=large-" + i, 200));
		}
		for (int i = 0; i < 20; i++) {
			String range = "/v0/entities?prefix=key-" + (i + KEYS / 10);
			steps.add(Step.of("GET", range, 200));
			steps.add(Step.lines(range));
			steps.add(Step.of("GET", range + "&keys=true&reverse=true&limit=1", 200));
			steps.add(Step.of("POST", "/v0/batch", batch(i), 200));
		}
		steps.add(Step.of("GET", "/v0/entity?id=key&replicas=3/1", 400));
		for (String path : List.of("/v0/status", "/actuator/health", "/actuator/prometheus")) {
			steps.add(Step.of("GET", path, 200));
		}
		return steps;
	}

	private static byte[] batch(int number) {
		StringBuilder lines = new StringBuilder();
		for (int i = 0; i < KEYS / 10; i++) {
			lines.append("{\"op\":\"put\",\"id\":\"batch-%d-%d\",\"text\":\"text\"}\n".formatted(number, i))
				.append("{\"op\":\"get\",\"id\":\"key-%d\"}\n".formatted(KEYS / 10 + i));
		}
		return lines.toString().getBytes(StandardCharsets.UTF_8);
	}

	/* Of no meaning: they must not be compressible. */
	private static byte[] bytes(int size) {
		byte[] bytes = new byte[size];
		new Random(size).nextBytes(bytes);
		return bytes;
	}

	private IOException failed(String reason) throws IOException {
		List<String> lines = logged().lines().filter((line) -> !line.contains("[warning][aot]")).toList();
		return new IOException("there is no cache: " + reason + "; the end of the node's log:\n"
				+ String.join("\n", lines.subList(Math.max(0, lines.size() - LINES), lines.size())));
	}

	/* Its last character may be there in part, and the locale may have another coding. */
	private String logged() throws IOException {
		return new String(Files.readAllBytes(log()), StandardCharsets.UTF_8);
	}

	private Path log() {
		return this.directory.resolve("log");
	}

	/**
	 * As above.
	 * @throws IOException if the directory cannot be deleted
	 */
	@Override
	public void close() throws IOException {
		end();
		try {
			Runtime.getRuntime().removeShutdownHook(this.hook);
		}
		catch (IllegalStateException ending) {
			// The hook runs, or has run.
		}
	}

	private void endQuietly() {
		try {
			end();
		}
		catch (IOException left) {
			// The process ends, and the user sees the directory.
			System.getLogger(AotTraining.class.getName()).log(System.Logger.Level.WARNING, left.getMessage(), left);
		}
	}

	/* With a second JVM, which writes the cache. */
	private synchronized void end() throws IOException {
		if (this.isEnded) {
			return;
		}
		this.isEnded = true;
		Process process = this.node;
		if (process != null) {
			List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
			all.forEach(ProcessHandle::destroyForcibly);
			all.forEach((each) -> each.onExit().completeOnTimeout(each, STOP.toSeconds(), TimeUnit.SECONDS).join());
		}
		try (Stream<Path> left = Files.walk(this.directory)) {
			for (Path path : left.sorted(Comparator.reverseOrder()).toList()) {
				Files.deleteIfExists(path);
			}
		}
		catch (IOException | UncheckedIOException failure) {
			throw new IOException(this.directory + " is left: " + failure, failure);
		}
	}

	/**
	 * A request, and the status of its answer.
	 *
	 * @param accept form of the answer, {@code null} for that for people
	 */
	@SuppressWarnings("ArrayRecordComponent")
	private record Step(String method, String path, byte @Nullable [] body, @Nullable String accept, int status) {

		private static final String LINES = "application/x-ndjson";

		static Step of(String method, String path, int status) {
			return new Step(method, path, null, null, status);
		}

		static Step of(String method, String path, byte[] body, int status) {
			return new Step(method, path, body, null, status);
		}

		/** The read of a range, as clients for programs do it. */
		static Step lines(String range) {
			return new Step("GET", range, null, LINES, 200);
		}

		HttpRequest.Builder request(NodeAccess access, URI url) {
			HttpRequest.Builder request = access.request(url, this.path);
			if (this.accept != null) {
				request.header("Accept", this.accept);
			}
			if (this.method.equals("POST")) {
				request.header("Content-Type", LINES);
			}
			return request.method(this.method,
					(this.body != null) ? BodyPublishers.ofByteArray(this.body) : BodyPublishers.noBody());
		}

	}

}
