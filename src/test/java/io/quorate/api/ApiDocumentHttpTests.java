package io.quorate.api;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.quorate.api.ApiDocument.Operation;
import io.quorate.api.RawConnection.Answer;
import io.quorate.coordinator.Admission;
import io.quorate.coordinator.ContendedException;
import io.quorate.coordinator.IdempotencyKeyReusedException;
import io.quorate.coordinator.QuorumNotReachedException;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.coordinator.RefusedException;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.security.access.TestAccess;
import io.quorate.watch.WatchCursors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Autowired;

import static io.quorate.api.ApiDocument.list;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The other way round: that the program answers as the OpenAPI document says, by each
 * status that it names, and reads each parameter and header field that it names.
 */
class ApiDocumentHttpTests extends HttpTests {

	private static final String LONG = "a".repeat(17 * 1024);

	/* Another room serves it, which is not here. */
	private static final String STATUS = "/v0/status";

	/* Of HTTP itself, or by which a node protects itself; no operation's own. */
	private static final Set<String> OF_ANY_REQUEST = Set.of("accept", "access-control-request-method", "authorization",
			"connection", "content-length", "content-type", "expect", "host", "origin", "quorate-internal-flaw",
			"transfer-encoding", "upgrade");

	@Autowired
	TestAccess access;

	@Autowired
	ReadFields fields;

	@BeforeEach
	void record() {
		this.fields.isOn = true;
	}

	@AfterEach
	void forgetNoRequestOfOthers() {
		this.fields.isOn = false;
	}

	static Stream<Operation> operations() {
		return ApiDocument.load().operations().stream().filter((operation) -> !operation.path.equals(STATUS));
	}

	@ParameterizedTest
	@MethodSource("operations")
	void everyStatusOfTheDocumentIsAnAnswer(Operation operation) throws IOException {
		List<Integer> wrong = new ArrayList<>();
		for (int status : operation.responses().keySet()) {
			// Nothing fails in what needs no coordinator; items of a batch fail alone.
			if (status != 500 || operation.path.startsWith("/v0/ent")) {
				this.coordinator.reset();
				Answer answer = (status == 503 && operation.method.equals("POST")) ? refused(operation)
						: provoke(status, operation);
				ApiDocument.load().requireDocumented(operation.method, target(operation), answer);
				if (answer.status != status) {
					wrong.add(status);
				}
			}
		}
		assertThat(wrong).isEmpty();
	}

	private static String target(Operation operation) {
		return switch (operation.path) {
			case "/v0/entity" -> "/v0/entity?key=a" + (operation.method.equals("PATCH") ? "&ttl=60" : "");
			case "/v0/entity/{key}" -> "/v0/entity/a" + (operation.method.equals("PATCH") ? "?ttl=60" : "");
			case "/v0/entities" -> "/v0/entities?start=a";
			default -> operation.path.replace("{key}", "a");
		};
	}

	/* A batch is refused as a whole only before it begins. */
	private Answer refused(Operation operation) throws IOException {
		try (Admission.Permit _ = this.admission.admit(ApiTestApplication.MAX_BYTES)) {
			return send(operation, target(operation), "X: y");
		}
	}

	private Answer provoke(int status, Operation operation) throws IOException {
		if (status != 404) {
			this.coordinator.hold(Key.of("a"), Value.copyOf("value".getBytes(StandardCharsets.UTF_8)));
		}
		this.coordinator.failure = switch (status) {
			case 409 -> new ContendedException(1);
			case 410 -> WatchCursors.lost();
			case 422 -> new IdempotencyKeyReusedException();
			case 500 -> new IllegalStateException("as the test wants it");
			case 503 -> new RefusedException(Why.REQUESTS, "too many");
			case 504 -> new QuorumNotReachedException(2, 1, true, List.of());
			case 507 -> new RefusedException(Why.DISK_FULL, "full");
			default -> null;
		};
		String target = target(operation);
		return switch (status) {
			case 206 -> send(operation, target, "Range: bytes=1-2");
			case 304 -> send(operation, target, "If-None-Match: *");
			case 400 -> send(operation, target, "Transfer-Encoding: identity");
			case 401 -> under("principals: {other: {read: all}}", operation);
			case 403 -> send(operation, target, "Origin: http://evil.example");
			case 405 -> send("OPTIONS", target, "Content-Length: 0", "");
			case 406 -> send(operation, target, "Accept: text/html");
			case 408 -> send(operation.method, target, "Content-Length: 5", "");
			case 412 -> send(operation, target, "If-Match: \"other\"");
			case 413 ->
				send(operation.method, target, "Content-Length: " + (ApiTestApplication.MAX_VALUE_BYTES + 1), "");
			case 414 -> send(operation, target + (target.contains("?") ? "&" : "?") + "x=" + LONG, "X: y");
			case 415 -> send(operation, target, "Content-Encoding: gzip");
			case 416 -> send(operation, target, "Range: bytes=5-");
			case 421 -> send(operation, target, "Host: evil.example");
			case 428 -> send(operation, target.replaceFirst("a$", "only:"), "X: y");
			case 429 -> under(
					"principals: {anonymous: {read: all, write: all, metrics: true, limits: {requests-per-second: 1}}}",
					operation);
			case 431 -> send(operation, target, "X: " + LONG);
			default -> send(operation, target, "X: y");
		};
	}

	/** The second answer under an access file. */
	private Answer under(String file, Operation operation) throws IOException {
		this.access.become(file);
		this.access.pass();
		try {
			Answer first = send(operation, target(operation), "X: y");
			assertThat(first.status).isNotEqualTo(429);
			return send(operation, target(operation), "X: y");
		}
		finally {
			this.access.reopen();
		}
	}

	private Answer send(Operation operation, String target, String field) throws IOException {
		String body = switch (operation.method) {
			case "PUT" -> "value";
			case "POST" -> "{\"op\":\"get\",\"id\":\"a\"}\n";
			default -> "";
		};
		String length = body.isEmpty() ? "" : "\r\nContent-Length: " + body.length();
		return send(operation.method, target, field + length, body);
	}

	private Answer send(String method, String target, String fields, String body) throws IOException {
		try (RawConnection connection = connect()) {
			String host = fields.startsWith("Host: ") ? "" : "Host: localhost\r\n";
			connection.send(method + " " + target + " HTTP/1.1\r\n" + host + fields + "\r\n\r\n" + body);
			boolean hasBody = !method.equals("HEAD") && !fields.startsWith("If-None-Match");
			return hasBody ? connection.answer() : connection.head();
		}
	}

	@ParameterizedTest
	@MethodSource("operations")
	void everyParameterIsRead(Operation operation) throws IOException {
		for (String name : operation.parameters("query").keySet()) {
			String target = target(operation).replaceFirst("[?]" + name + "=a", "");
			String start = target + (target.contains("?") ? "&" : "?") + name;
			Answer notText = send(operation, start + "=%ff", "X: y");
			assertThat(notText.status).as(name).isEqualTo(400);
			Answer twice = send(operation, start + "=1&" + name + "=1", "X: y");
			assertThat(twice.status).as(name).isEqualTo(400);
		}
	}

	@ParameterizedTest
	@MethodSource("operations")
	void headerFieldsThatAreReadAreThoseOfTheDocument(Operation operation) throws IOException {
		this.fields.read.clear();
		this.coordinator.hold(Key.of("a"), Value.copyOf("value".getBytes(StandardCharsets.UTF_8)));
		assertThat(send(operation, target(operation), "X: y").status).isBetween(200, 202);
		if (operation.parameters("header").containsKey("Range")) {
			assertThat(send(operation, target(operation), "Range: bytes=0-1").status).isEqualTo(206);
		}
		Set<String> documented = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
		documented.addAll(operation.parameters("header").keySet());
		list(operation.node.get("x-refused-headers")).forEach((name) -> documented.add(name.toString()));
		Set<String> read = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
		read.addAll(this.fields.read);
		read.removeAll(OF_ANY_REQUEST);
		// It is the transport that reads it.
		documented.remove("Expect");
		assertThat(read).isEqualTo(documented);
	}

	@Test
	void requestsRefuseEachFieldThatTheDocumentNamesSo() throws IOException {
		int refused = 0;
		for (Operation operation : operations().toList()) {
			for (Object field : list(operation.node.get("x-refused-headers"))) {
				int status = switch (field.toString()) {
					case "Content-Encoding" -> 415;
					default -> 400;
				};
				assertThat(send(operation, target(operation), field + ": 1").status).as("%s", field).isEqualTo(status);
				refused++;
			}
		}
		assertThat(refused).isEqualTo(28);
		assertThat(this.coordinator.calls).hasValue(0);
	}

}
