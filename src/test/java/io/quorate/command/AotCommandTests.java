package io.quorate.command;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.quorate.command.Terminal.Screens;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The subcommand {@code aot} with a script in place of the JVM, and a server in place of
 * its two nodes. {@code AotScriptIT} has them.
 */
class AotCommandTests {

	private final ByteArrayOutputStream out = new ByteArrayOutputStream();

	private final Queue<String> requests = new ConcurrentLinkedQueue<>();

	@TempDir
	private Path home;

	private HttpServer server;

	private volatile boolean isReady = true;

	private volatile int statusOfDeletions = 202;

	private static final int DECIDED = 3;

	private final AtomicInteger version = new AtomicInteger(7);

	/* Answers by which the change of members is still under way. */
	private final AtomicInteger answersToGo = new AtomicInteger();

	@BeforeEach
	void unpack() throws IOException {
		Files.createDirectories(this.home.resolve("lib"));
		Files.writeString(this.home.resolve("quorate.jar"), "");
		Files.writeString(this.home.resolve("quorate.args"), "-XX:+UseCompactObjectHeaders");
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.createContext("/", this::answer);
		this.server.start();
	}

	@AfterEach
	void stop() {
		this.server.stop(0);
	}

	private void answer(HttpExchange exchange) throws IOException {
		String request = exchange.getRequestMethod() + " " + exchange.getRequestURI();
		String accept = exchange.getRequestHeaders().getFirst("Accept");
		this.requests.add((accept != null) ? request + " as " + accept : request);
		exchange.getRequestBody().readAllBytes();
		byte[] body = request.equals("GET /actuator/cluster") ? layout() : new byte[0];
		exchange.sendResponseHeaders(status(request), (body.length > 0) ? body.length : -1);
		if (body.length > 0) {
			exchange.getResponseBody().write(body);
		}
		exchange.close();
	}

	private byte[] layout() {
		int left = this.answersToGo.getAndDecrement();
		// A node answers a command before it has adopted what is decided.
		if (left == DECIDED) {
			return layout(this.version.getAndIncrement(), "stable");
		}
		return layout(this.version.get(), (left > 0) ? "joint" : "stable");
	}

	private static byte[] layout(int version, String state) {
		return "{\"version\":%d,\"state\":\"%s\",\"members\":{}}".formatted(version, state)
			.getBytes(StandardCharsets.UTF_8);
	}

	private int status(String request) {
		if (request.endsWith("/replication")) {
			this.answersToGo.set(DECIDED);
			return 202;
		}
		if (request.endsWith("/readiness") && !this.isReady) {
			this.isReady = true;
			return 503;
		}
		if (request.contains("id=none-")) {
			return 404;
		}
		if (request.endsWith("replicas=3/1")) {
			return 400;
		}
		return request.startsWith("PUT") ? 201 : request.startsWith("DELETE") ? this.statusOfDeletions : 200;
	}

	@Test
	void theNodeIsTrainedAndStoppedAndItsCacheIsInPlace() throws IOException {
		this.isReady = false;
		this.answersToGo.set(1);
		Files.writeString(this.home.resolve("quorate.aot"), "of before");
		assertThat(
				command(Map.of("QUORATE_JAVA_OPTS", " -Xmx1g  -Xms1g", "QUORATE_CLUSTER_NAME", "mine", "KEPT", "yes"))
					.make(this.home.resolve("quorate.jar"), java("trap 'echo trained >\"$cache\"; exit 0' TERM")))
			.isZero();
		assertThat(this.home.resolve("quorate.aot")).hasContent("trained");
		assertThat(this.out.toString(StandardCharsets.UTF_8)).startsWith(this.home.resolve("quorate.aot") + " is made");
		assertThat(Files.readString(this.home.resolve("arguments"))).matches("(?s)@" + this.home
				+ "/quorate.args -Xmx1g -Xms1g -XX:AOTCacheOutput=\\S+ -jar " + this.home + "/quorate.jar server "
				+ "--server.port=0 --server.address=127.0.0.1 --quorate.cluster.members=first@127.0.0.1:\\d+ "
				+ "--quorate.node.id=trained --quorate.storage.directory=\\S+ "
				+ "--quorate.cluster.join=trained@127.0.0.1:\\d+ --quorate.cluster.join-by-itself=true "
				+ "--quorate.warm-up.requests=60000 --quorate.warm-up.limit=1m\\s");
		assertThat(Files.readString(this.home.resolve("arguments-of-first")))
			.contains("--quorate.node.id=first ", "--quorate.cluster.join-hosts=127.0.0.1 ",
					"--quorate.warm-up.requests=0")
			.doesNotContain("AOTCacheOutput", "-Xmx1g");
		for (String node : List.of("", "-of-first")) {
			assertThat(Files.readString(this.home.resolve("environment" + node))).contains("KEPT=yes")
				.doesNotContain("QUORATE_");
		}
		assertThat(this.requests)
			.startsWith("GET /actuator/health/readiness", "GET /actuator/health/readiness", "POST /v0/batch")
			.containsSubsequence("POST /v0/batch", "GET /actuator/health/readiness", "GET /actuator/cluster",
					"PUT /v0/entity?id=moved-0", "GET /v0/entity?id=moved-0", "GET /actuator/cluster",
					"POST /actuator/cluster/replication", "GET /actuator/cluster", "PUT /v0/entity?id=moved-0",
					"GET /actuator/cluster", "PUT /v0/entity?id=moved-1", "GET /actuator/cluster",
					"PUT /v0/entity?id=key-0")
			.contains("DELETE /v0/entity?id=key-1", "PUT /v0/entity?id=large-4", "POST /v0/batch",
					"GET /actuator/prometheus", "GET /v0/entities?prefix=key-50 as application/x-ndjson");
		assertThat(left()).containsExactlyInAnyOrder("lib", "quorate.jar", "quorate.args", "quorate.aot", "java",
				"arguments", "arguments-of-first", "environment", "environment-of-first");
	}

	@Test
	void aWrongAnswerEndsTheTrainingAndTheCacheOfBeforeStays() throws IOException {
		this.statusOfDeletions = 500;
		Files.writeString(this.home.resolve("quorate.aot"), "of before");
		fails("DELETE /v0/entity?id=key-0 was answered 500 in place of 202; the end of the node's log:",
				"trap 'echo trained >\"$cache\"; exit 0' TERM");
		assertThat(this.home.resolve("quorate.aot")).hasContent("of before");
	}

	@Test
	void aJvmThatWritesNoCacheOrEndsIsAFailure() throws IOException {
		fails("the JVM has written none; the end of the node's log:\nNetty started on port", "trap 'exit 0' TERM");
		fails("the node ended; the end of the node's log:\nNo such option", "echo 'No such option'; exit 1");
		fails("the node ended; the end of the node's log:\nNo such option",
				"[ -n \"$of\" ] || { echo 'No such option'; exit 1; }");
	}

	private void fails(String text, String line) throws IOException {
		AotCommand command = command(Map.of());
		Path java = java(line);
		assertThatExceptionOfType(CommandException.class)
			.isThrownBy(() -> command.make(this.home.resolve("quorate.jar"), java))
			.withMessageStartingWith("there is no cache: ")
			.withMessageContaining(text)
			.matches((failure) -> failure.exitCode() == ExitCode.FAILED);
		assertThat(left()).noneMatch((name) -> name.startsWith("quorate.aot."));
	}

	@Test
	void theNumberOfRequestsOfTheTrainingIsChosen() throws IOException {
		AotCommand command = command(Map.of());
		CommandLine line = new CommandLine(command);
		line.parseArgs("--requests=70");
		assertThat(command.make(this.home.resolve("quorate.jar"), java("trap 'echo trained >\"$cache\"; exit 0' TERM")))
			.isZero();
		assertThat(Files.readString(this.home.resolve("arguments"))).contains(" --quorate.warm-up.requests=70 ");

		line.parseArgs("--requests=-1");
		assertThatExceptionOfType(CommandException.class)
			.isThrownBy(() -> command.make(this.home.resolve("quorate.jar"), Path.of("/none")))
			.withMessage("--requests must be between 0 and 1000000, not -1")
			.matches((failure) -> failure.exitCode() == ExitCode.MISUSED);
	}

	@Test
	void aJarThatIsNotUnpackedIsRefused() throws IOException {
		Files.delete(this.home.resolve("lib"));
		AotCommand command = command(Map.of());
		assertThatExceptionOfType(CommandException.class)
			.isThrownBy(() -> command.make(this.home.resolve("quorate.jar"), Path.of("/none")))
			.withMessageContaining("run bin/quorate of an unpacked release, or bin/aot in a source tree")
			.matches((failure) -> failure.exitCode() == ExitCode.MISUSED);
	}

	private AotCommand command(Map<String, String> environment) {
		return new AotCommand(new Terminal(new ByteArrayInputStream(new byte[0]), new Output(this.out, false),
				new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8), Screens.NONE, environment,
				this.home));
	}

	private List<String> left() throws IOException {
		try (Stream<Path> files = Files.list(this.home)) {
			return files.map((file) -> file.getFileName().toString()).toList();
		}
	}

	/* Runs this line, and then as a node does until it is stopped. */
	private Path java(String line) throws IOException {
		Path file = Files.writeString(this.home.resolve("java"), """
				#!/bin/sh
				case $* in *--quorate.node.id=first*) of=-of-first ;; *) of= ;; esac
				echo "$@" >"%1$s/arguments$of"
				env >"%1$s/environment$of"
				for argument; do case $argument in -XX:AOTCacheOutput=*) cache=${argument#*=} ;; esac; done
				%2$s
				echo 'Netty started on port %3$d (http)'
				while :; do sleep 0.05; done
				""".formatted(this.home, line, this.server.getAddress().getPort()));
		return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
	}

}
