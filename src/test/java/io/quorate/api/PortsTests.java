package io.quorate.api;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.QuorateApplication;
import io.quorate.api.RawConnection.Answer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Attacks on both ports for HTTP of a whole node that listens on loopback. */
class PortsTests {

	private static final int MAX_CONNECTIONS = 20;

	private static ConfigurableApplicationContext node;

	private static int clients;

	private static int operators;

	@BeforeAll
	static void start(@TempDir Path directory) {
		node = new SpringApplication(QuorateApplication.class).run("--server.port=0", "--management.server.port=0",
				"--spring.main.cloud-platform=kubernetes", "--quorate.storage.directory=" + directory.resolve("data"),
				"--quorate.api.max-connections=" + MAX_CONNECTIONS, "--quorate.operations.drain-delay=0s");
		clients = node.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
		operators = node.getEnvironment().getRequiredProperty("local.management.port", Integer.class);
	}

	@AfterAll
	static void stop() {
		node.close();
	}

	@AfterEach
	void theNodeIsReady() throws IOException {
		await().ignoreExceptionsInstanceOf(SocketException.class).untilAsserted(() -> {
			assertThat(ask(clients, "GET /v0/status", "").status).isEqualTo(200);
			assertThat(ask(operators, "GET /actuator/health/readiness", "").status).isEqualTo(200);
		});
	}

	/** Lines are separated by {@code ~}. */
	private static Answer ask(int port, String request, String fields) throws IOException {
		try (RawConnection connection = RawConnection.to(port)) {
			return connection
				.send(request + " HTTP/1.1\r\nHost: localhost:" + port + "\r\nContent-Length: 0\r\n"
						+ fields.replace("~", "\r\n") + "\r\n")
				.answer();
		}
	}

	private static double count(String meter) {
		return node.getBean(MeterRegistry.class).get(meter).counter().count();
	}

	static Stream<String> ambiguousFramings() {
		String rest = "~~5~value~0~~GET /second HTTP/1.1~Host: localhost~~";
		return Stream
			.of("Transfer-Encoding: chunked, xchunked", "Transfer-Encoding: chunked~ , xchunked",
					"Transfer-Encoding:~ chunked", "Transfer-Encoding: chunked~Transfer-Encoding: identity",
					"Transfer-Encoding: chunked~Transfer-Encoding: chunked", "Transfer-Encoding: chunked, chunked",
					"Transfer-Encoding: identity", "Transfer-Encoding: xchunked", "Transfer-Encoding: chunked;x=y",
					"Transfer-Encoding: \u000bchunked", "Transfer-Encoding : chunked", "Content-Length : 5",
					"Transfer-Encoding: chunked~Content-Length: 5", "Content-Length: 5~Transfer-Encoding: chunked",
					"Content-Length: 5~Content-Length: 6", "Content-Length: +5", "Content-Length: 5, 6",
					"Content-Length: 0x5", "Content-Length: -5")
			.map((fields) -> "PUT /v0/entity?id=a HTTP/1.1~Host: localhost~" + fields + rest);
	}

	@ParameterizedTest
	@MethodSource("ambiguousFramings")
	void anAmbiguousFramingIsRefusedAndEndsTheConnection(String request) throws IOException {
		requireOneRefusal(request);
	}

	@ParameterizedTest
	@ValueSource(strings = { "PUT /v0/entity?id=a HTTP/1.0~Host: localhost~Transfer-Encoding: chunked~~0~~",
			"GET /v0/entity?id=a HTTP/1.1~~", "GET /v0/entity?id=a HTTP/1.1~Host: localhost~Host: localhost~~",
			"GET /v0/entity?id=a HTTP/1.1~Host: localhost~Host: evil~~",
			"GET /v0/entity?id=a HTTP/1.0~Host: localhost~Host: evil~~" })
	void aRequestThatIsNotMeantForOneHostInOneWayIsRefused(String request) throws IOException {
		requireOneRefusal(request);
	}

	private static void requireOneRefusal(String request) throws IOException {
		for (int port : new int[] { clients, operators }) {
			double before = count("quorate.api.malformed");
			try (RawConnection connection = RawConnection.to(port)) {
				Answer answer = connection.send(request.replace("~", "\r\n")).answer();
				assertThat(answer.status).as(answer.text()).isEqualTo(400);
				assertThat(answer.text()).contains("urn:quorate:problem:bad-request");
				assertThat(connection.isAtEnd()).isTrue();
			}
			assertThat(count("quorate.api.malformed")).isGreaterThan(before);
		}
		assertThat(ask(clients, "GET /v0/entity?id=a", "").status).isEqualTo(404);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/%61ctuator/health", "/actuator;x=1/health", "/actuator/health;a",
			"http://any/actuator/health", "//actuator/health", "/actuator//health", "/actuator/./health",
			"/v0/../actuator/health", "/v0/%65ntity?id=a", "http://localhost/v0/entity?id=a", "/v0/entity;x?id=a" })
	void aPathHasOneSpelling(String path) throws IOException {
		for (int port : new int[] { clients, operators }) {
			Answer answer = ask(port, "GET " + path, "");
			assertThat(answer.status).as(answer.text()).isEqualTo(400);
			assertThat(answer.text()).contains("urn:quorate:problem:bad-request");
		}
	}

	@ParameterizedTest
	@CsvSource({ "POST, /actuator/scrub", "POST, /actuator/backup", "POST, /actuator/recovery/new-incarnation",
			"GET, /actuator/prometheus", "OPTIONS, /actuator/scrub", "DELETE, /actuator/backup/x" })
	void aPageOfAnotherOriginCommandsNothing(String method, String path) throws IOException {
		for (String origin : List.of("http://evil.example", "null", "http://localhost:1")) {
			Answer answer = ask(operators, method + " " + path, "Origin: " + origin + "~");
			assertThat(answer.status).as(answer.text()).isEqualTo(403);
			assertThat(answer.text()).contains("urn:quorate:problem:cross-origin");
		}
	}

	@Test
	void aPageOfAnotherOriginReadsAndWritesNothing() throws IOException {
		for (String request : List.of("GET /v0/entities?start=a", "PUT /v0/entity?id=a", "DELETE /v0/entity?id=a",
				"GET /v0/status", "OPTIONS /v0/entity?id=a")) {
			assertThat(ask(clients, request, "Origin: http://evil.example~").text())
				.contains("urn:quorate:problem:cross-origin");
		}
		assertThat(ask(clients, "GET /v0/entity?id=a", "Origin: http://localhost:%d~".formatted(clients)).status)
			.as("of the node's own")
			.isEqualTo(404);
		assertThat(ask(operators, "POST /actuator/scrub", "Origin: http://localhost:%d~".formatted(operators)).status)
			.isIn(202, 409);
	}

	@ParameterizedTest
	@ValueSource(strings = { "evil.example", "evil.example:8080", "localhost.evil.example", "10.0.0.1", "" })
	void aNameThatWasReboundToLoopbackReachesNothing(String host) throws IOException {
		for (int port : new int[] { clients, operators }) {
			try (RawConnection connection = RawConnection.to(port)) {
				Answer answer = connection.send("GET /v0/status HTTP/1.1\r\nHost: " + host + "\r\n\r\n").answer();
				assertThat(answer.status).as(answer.text()).isEqualTo(421);
				assertThat(answer.text()).contains("urn:quorate:problem:misdirected-request");
			}
		}
	}

	@Test
	void aForwardedHeaderOfAClientIsNotTrusted() throws IOException {
		assertThat(ask(clients, "GET /v0/status", "X-Forwarded-Port: abc~X-Forwarded-For: 1.2.3.4~").status)
			.isEqualTo(200);
	}

	@Test
	void connectionsAreBoundedInAllAndOfEachAddress() throws IOException {
		List<Socket> open = new ArrayList<>();
		double before = count("quorate.api.connections.refused");
		try {
			for (String from : List.of("127.0.0.2", "127.0.0.3", "127.0.0.4")) {
				for (int i = 0; i < MAX_CONNECTIONS / 2 + 2; i++) {
					Socket socket = new Socket();
					socket.bind(new InetSocketAddress(InetAddress.ofLiteral(from), 0));
					socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), clients), 60_000);
					open.add(socket);
				}
				int addresses = from.charAt(from.length() - 1) - '1';
				double expected = (addresses < 3) ? 2 * addresses : 4 + MAX_CONNECTIONS / 2 + 2;
				await().untilAsserted(
						() -> assertThat(count("quorate.api.connections.refused") - before).isEqualTo(expected));
			}
			assertThat(node.getBean(MeterRegistry.class).get("quorate.api.connections").gauge().value())
				.isEqualTo(MAX_CONNECTIONS);
		}
		finally {
			for (Socket socket : open) {
				socket.close();
			}
		}
	}

	@Test
	void refusalsDoNotFillTheLog() throws IOException {
		try (LoggedLines refusals = new LoggedLines("io.quorate.security.RefusalLog");
				LoggedLines decoders = new LoggedLines("reactor.netty")) {
			for (int i = 0; i < 300; i++) {
				try (RawConnection connection = RawConnection.to(clients)) {
					connection.send("no HTTP %d\r\nforged: x\r\n\r\n".formatted(i)).answer();
				}
			}
			assertThat(refusals.lines()).hasSizeBetween(0, 64);
			assertThat(decoders.lines()).isEmpty();
		}
	}

	/* Bytes by chance, and requests in which some have changed. */
	@Test
	void nothingThatIsSentBreaksAnything() throws IOException {
		long seed = new Random().nextLong();
		Random random = new Random(seed);
		List<String> framings = ambiguousFramings().toList();
		try (LoggedLines lines = new LoggedLines("ROOT")) {
			for (int i = 0; i < 600; i++) {
				byte[] sent = new byte[1 + random.nextInt(300)];
				random.nextBytes(sent);
				if (random.nextInt(4) > 0) {
					sent = framings.get(random.nextInt(framings.size()))
						.replace("~", "\r\n")
						.replace("id=a", "id=b")
						.getBytes(StandardCharsets.ISO_8859_1);
					for (int changes = random.nextInt(4); changes > 0; changes--) {
						sent[random.nextInt(sent.length)] = (byte) random.nextInt();
					}
				}
				try (RawConnection connection = RawConnection.to(random.nextBoolean() ? clients : operators)) {
					connection.send(sent);
					if (random.nextInt(4) == 0) {
						connection.reset();
					}
				}
				catch (SocketException closed) {
					assertThat(closed).as("seed %d", seed).hasMessageMatching("(?s).*([Rr]eset|[Bb]roken|[Aa]bort).*");
				}
			}
			assertThat(lines.lines()).as("seed %d", seed)
				.noneMatch((line) -> line.startsWith("ERROR") || line.contains("Exception"))
				.hasSizeLessThan(200);
		}
		// Until the event loops have seen that the connections are closed, there may be
		// no room for another.
		await().ignoreExceptionsInstanceOf(SocketException.class)
			.untilAsserted(() -> assertThat(ask(clients, "GET /v0/entity?id=a", "").status).as("seed %d", seed)
				.isIn(200, 404));
	}

}
