package io.quorate.api;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.quorate.Lane;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.security.access.TestAccess;
import io.quorate.security.access.Token;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Rights over a real port: path, method and credentials decide on the status. */
class AccessHttpTests extends HttpTests {

	private static final long SEED = 232;

	private static final int FUZZED = Lane.of(400, 2000, 2000);

	private static final String FOREIGN = "kv.example";

	private static final Token READER = Token.generate("reader");

	private static final Token WRITER = Token.generate("writer");

	private static final Token METRICS = Token.generate("scraper");

	private static final Token ADMIN = Token.generate("ops");

	private static final Token LIMITED = Token.generate("limited");

	private static final String WRONG = "Authorization: Bearer wrong";

	private static final String FILE = """
			principals:
			  reader: {tokens: [{sha256: %s}], read: ["pay:"]}
			  writer: {tokens: [{sha256: %s}], write: ["pay:"]}
			  scraper: {tokens: [{sha256: %s}], metrics: true}
			  ops: {tokens: [{sha256: %s}], metrics: true, admin: true}
			  limited: {tokens: [{sha256: %s}], read: all, write: all, limits: {share: 0.05}}
			""".formatted(READER.sha256(), WRITER.sha256(), METRICS.sha256(), ADMIN.sha256(), LIMITED.sha256());

	@Autowired
	TestAccess access;

	@BeforeEach
	void close() {
		this.access.become(FILE);
		for (String key : List.of("pay:1", "pay", "pay;1")) {
			this.coordinator.hold(Key.of(key), Value.wrap(new byte[] { 7 }));
		}
	}

	@AfterEach
	void open() {
		this.access.reopen();
	}

	/* Statuses for: no token, a wrong one, reader, writer, metrics, admin. */
	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "GET    /v0/entity/pay:1                       | 401 401 200 403 403 403",
					"GET    /v0/entity?id=pay:1                    | 401 401 200 403 403 403",
					"HEAD   /v0/entity/pay:1                       | 401 401 200 403 403 403",
					"GET    /v0/entity/pay                         | 401 401 403 403 403 403",
					"GET    /v0/entity/pay;1                       | 401 401 403 403 403 403",
					"GET    /v0/entity/p%61y:1                     | 401 401 200 403 403 403",
					"GET    /v0/entity/absent                      | 401 401 403 403 403 403",
					"DELETE /v0/entity/pay:1                       | 401 401 403 202 403 403",
					"DELETE /v0/entity/pay                         | 401 401 403 403 403 403",
					"GET    /v0/entities?prefix=pay:               | 401 401 200 403 403 403",
					"GET    /v0/entities?prefix=pay:&keys=true     | 401 401 200 403 403 403",
					"GET    /v0/entities?prefix=pay:&reverse=true  | 401 401 200 403 403 403",
					"GET    /v0/entities?prefix=pay                | 401 401 403 403 403 403",
					"GET    /v0/entities?start=pay:&end=pay;       | 401 401 200 403 403 403",
					"GET    /v0/entities?start=pay:&end=pay;1      | 401 401 403 403 403 403",
					"GET    /v0/entities?start=pay:                | 401 401 403 403 403 403",
					"GET    /v0/entities?end=pay;&reverse=true     | 401 401 403 403 403 403",
					"GET    /v0/watch?prefix=pay:                  | 401 401 200 403 403 403",
					"GET    /v0/watch?key=pay:1                    | 401 401 200 403 403 403",
					"GET    /v0/watch?prefix=pay                   | 401 401 403 403 403 403",
					"GET    /v0/watch?start=pay:&end=pay;          | 401 401 200 403 403 403",
					"GET    /v0/watch?start=pay:                   | 401 401 403 403 403 403",
					"GET    /v0/watch                              | 401 401 403 403 403 403",
					"GET    /v0/status                             | 401 401 400 400 400 400",
					"GET    /v0/consistency                        | 401 401 403 403 200 200",
					"GET    /                                      | 401 401 200 200 200 200",
					"GET    /v0/openapi.yaml                       | 200 200 200 200 200 200",
					"GET    /v0/docs                               | 200 200 200 200 200 200",
					"GET    /livez                                 | 404 404 404 404 404 404",
					"GET    /actuator/prometheus                   | 401 401 403 403 200 200",
					"POST   /actuator/prometheus                   | 401 401 403 403 403 405",
					"GET    /actuator/health                       | 401 401 403 403 200 200",
					"GET    /actuator/health/readiness             | 200 200 200 200 200 200",
					"GET    /actuator/health/other                 | 401 401 403 403 403 404",
					"POST   /actuator/recovery/rebuild             | 401 401 403 403 403 404",
					"GET    /actuator                              | 401 401 403 403 403 200",
					"GET    /actuator/                             | 401 401 403 403 403 404",
					"GET    /v0/new-path                           | 401 401 403 403 403 400",
					"GET    /unknown                               | 401 401 403 403 403 404" })
	void theTableOfRights(String request, String statuses) throws IOException {
		String[] words = request.split(" +", 2);
		// No page gets more by a name that it has rebound to this node.
		for (String host : List.of("localhost", FOREIGN)) {
			List<String> seen = new ArrayList<>();
			for (String authorization : List.of("", "Bearer qk_reader_wrong", bearer(READER), bearer(WRITER),
					bearer(METRICS), bearer(ADMIN))) {
				this.access.pass();
				seen.add(String.valueOf(statusOf(host, words[0], words[1].strip(), authorization)));
			}
			assertThat(String.join(" ", seen)).as(host).isEqualTo(statuses);
		}
	}

	/*
	 * Whatever the document of the API describes is closed, to strangers and to a
	 * principal without a right to the key, but for these.
	 */
	@Test
	void theApiIsClosedToAPrincipalWithoutRightsButForItsDocument() throws IOException {
		List<String> toAll = new ArrayList<>();
		List<String> toKnown = new ArrayList<>();
		for (ApiDocument.Operation operation : ApiDocument.load().operations()) {
			String target = operation.path.replace("{key}", "other");
			target += target.equals("/v0/entity") ? "?id=other" : "";
			target += target.equals("/v0/entities") ? "?prefix=other" : "";
			String name = operation.method + " " + operation.path;
			this.access.pass();
			if (status(operation.method, target, "") != 401) {
				toAll.add(name);
			}
			if (status(operation.method, target, bearer(WRITER)) != 403) {
				toKnown.add(name);
			}
		}
		assertThat(toAll).containsExactly("GET /v0/openapi.yaml", "HEAD /v0/openapi.yaml", "GET /v0/docs",
				"HEAD /v0/docs");
		assertThat(toKnown).containsExactly("POST /v0/batch", "GET /v0/status", "HEAD /v0/status",
				"GET /v0/openapi.yaml", "HEAD /v0/openapi.yaml", "GET /v0/docs", "HEAD /v0/docs", "GET /", "HEAD /");
		RawConnection.Answer items = batch("""
				{"op":"get","id":"other"}
				{"op":"delete","id":"other"}
				{"op":"put","id":"other","text":"1"}
				""");
		assertThat(new String(items.body, StandardCharsets.UTF_8).lines()).hasSize(3)
			.allSatisfy((line) -> assertThat(line).contains("\"status\":403"));
	}

	private RawConnection.Answer batch(String lines) throws IOException {
		byte[] body = lines.getBytes(StandardCharsets.UTF_8);
		try (RawConnection connection = connect()) {
			connection.request("POST", "/v0/batch", "Content-Type: application/x-ndjson",
					"Content-Length: " + body.length, field(WRITER));
			connection.send(body);
			return connection.answer();
		}
	}

	private int status(String method, String target, String authorization) throws IOException {
		return statusOf("localhost", method, target, authorization);
	}

	private int statusOf(String host, String method, String target, String authorization) throws IOException {
		try (RawConnection connection = connect()) {
			String field = authorization.isEmpty() ? "" : "Authorization: " + authorization + "\r\n";
			connection.send("%s %s HTTP/1.1\r\nHost: %s\r\n%s\r\n".formatted(method, target, host, field));
			return method.equals("HEAD") ? connection.head().status : connection.answer().status;
		}
	}

	@Test
	void aDeniedWriteChangesNothingAndItsBodyIsNotRead() throws IOException {
		RawConnection.Answer none = put("/v0/entity/pay:1", new byte[] { 1 });
		assertProblem(none, 401, "unauthenticated", "this needs valid credentials");
		assertThat(none.headers).containsEntry("www-authenticate", "Bearer realm=\"quorate\"");
		RawConnection.Answer wrong = put("/v0/entity/pay:1", new byte[] { 1 }, "Authorization: Bearer qk_x_y");
		assertProblem(wrong, 401, "unauthenticated", "this needs valid credentials");
		assertThat(wrong.headers).containsEntry("www-authenticate",
				"Bearer realm=\"quorate\", error=\"invalid_token\"");
		assertProblem(put("/v0/entity/pay:1", new byte[] { 1 }, field(READER)), 403, "forbidden",
				"`reader` may not write keys outside its prefixes; nothing was done");
		assertProblem(put("/v0/entity/pay", new byte[] { 1 }, field(WRITER)), 403, "forbidden", "`writer` may not");
		assertThat(held("pay:1")).isEqualTo((byte) 7);
		assertThat(put("/v0/entity/pay:1", new byte[] { 1 }, field(WRITER)).status).isEqualTo(201);
		assertThat(held("pay:1")).isEqualTo((byte) 1);
		try (RawConnection connection = connect()) {
			connection.request("PUT", "/v0/entity/pay:1", "Content-Length: 1000000", "Expect: 100-continue",
					field(READER));
			assertThat(connection.answer().status).as("instead of 100 Continue").isEqualTo(403);
		}
	}

	@Test
	void twoFieldsAreRefused() throws IOException {
		assertProblem(ask("GET", "/v0/entity/pay:1", field(READER), field(READER)), 400, "bad-request",
				"there must be one Authorization field");
	}

	@Test
	void aConditionNeedsTheRightToReadTheKey() throws IOException {
		for (String condition : List.of("If-Match: \"x\"", "If-None-Match: *")) {
			assertProblem(put("/v0/entity/pay:1", new byte[] { 1 }, field(WRITER), condition), 403, "forbidden",
					"`writer` may not read keys outside its prefixes");
			assertProblem(ask("DELETE", "/v0/entity/pay:1", field(WRITER), condition), 403, "forbidden",
					"`writer` may not read");
			assertProblem(put("/v0/entity/pay:1", new byte[] { 1 }, field(READER), condition), 403, "forbidden",
					"`reader` may not write");
		}
		RawConnection.Answer items = batch("""
				{"op":"delete","id":"pay:1","ifMatch":"*"}
				{"id":"pay:1","text":"1","ifNoneMatch":"*"}
				{"op":"touch","id":"pay:1","ttl":5}
				""");
		assertThat(items.text().lines()).hasSize(3).allMatch((line) -> line.contains("\"status\":403"));
		assertThat(held("pay:1")).isEqualTo((byte) 7);
		assertThat(put("/v0/entity/pay:1?consistency=linearizable", new byte[] { 1 }, field(WRITER)).status)
			.as("it tells no version")
			.isEqualTo(201);
		assertThat(put("/v0/entity/pay:1", new byte[] { 2 }, field(LIMITED), "If-Match: *").status).isEqualTo(201);
	}

	/* A proxy on this machine passes it on; a page with a rebound name has no token. */
	@Test
	void aForeignHostIsRefusedAsSoonAsAnonymousHasARight() throws IOException {
		assertThat(statusOf(FOREIGN, "GET", "/v0/entity/pay:1", bearer(READER))).isEqualTo(200);
		this.access.become(FILE + "  anonymous: {read: [\"pay:\"]}\n");
		assertThat(statusOf(FOREIGN, "GET", "/v0/entity/pay:1", "")).isEqualTo(421);
		assertThat(statusOf(FOREIGN, "GET", "/v0/entity/pay:1", bearer(READER))).isEqualTo(421);
		assertThat(statusOf("localhost", "GET", "/v0/entity/pay:1", "")).isEqualTo(200);
		this.access.become(FILE);
		assertThat(statusOf(FOREIGN, "GET", "/v0/entity/pay:1", "")).isEqualTo(401);
		this.access.reopen();
		assertThat(statusOf(FOREIGN, "GET", "/v0/entity/pay:1", "")).isEqualTo(421);
	}

	@Test
	void eachLineOfABatchNeedsItsRight() throws IOException {
		byte[] lines = """
				{"op":"get","id":"pay:1"}
				{"op":"get","id":"pay"}
				{"op":"put","id":"pay:2","value":"AA=="}
				{"op":"delete","id":"pay:1"}
				""".getBytes(StandardCharsets.UTF_8);
		String[] answers = post("/v0/batch", lines, field(READER)).text().split("\n", -1);
		assertThat(answers[0]).contains("\"status\":200");
		assertThat(List.of(answers).subList(1, 4))
			.allMatch((line) -> line.contains("\"status\":403") && line.contains("urn:quorate:problem:forbidden"));
		assertThat(held("pay:1")).isEqualTo((byte) 7);
		assertThat(this.coordinator.held(Key.of("pay:2"))).isNull();
		assertThat(post("/v0/batch", lines, field(METRICS)).status).isEqualTo(403);
	}

	@Test
	void aRangeEndsAtItsNextPageWhenTheTokenIsTakenAway() throws IOException {
		for (int i = 0; i < 400; i++) {
			this.coordinator.hold(Key.of("pay:%03d".formatted(i)), Value.wrap(new byte[100_000]));
		}
		try (RawConnection connection = RawConnection.to(this.port, 64 * 1024)) {
			connection.request("GET", "/v0/entities?prefix=pay:", field(READER));
			assertThat(connection.head().status).isEqualTo(200);
			this.access.become("principals: {other: {read: all}}");
			int chunks = 0;
			try {
				while (connection.chunk() != null) {
					chunks++;
				}
				assertThat(chunks).as("the end of the range came").isNegative();
			}
			catch (IOException cut) {
				assertThat(chunks).isLessThan(400);
			}
		}
	}

	@Test
	void aWaitHoldsAValueOnlyToSendIt() throws IOException {
		this.coordinator.hold(Key.of("large"), Value.wrap(new byte[512 * 1024]));
		String target = "/v0/entity/large?wait=5";
		String other = "If-None-Match: \"other\"";
		try (RawConnection connection = connect()) {
			assertThat(connection.request("HEAD", target, field(LIMITED), other).head().status).isEqualTo(200);
		}
		assertProblem(ask("GET", target, field(LIMITED), other), 429, "too-many-requests", "share of this principal");
	}

	@Test
	void aPrincipalHoldsNoMoreThanItsShare() throws IOException {
		this.coordinator.silent = true;
		List<RawConnection> held = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			held.add(connect().request("GET", "/v0/entity/any", field(LIMITED), "Quorate-Timeout: 3000"));
		}
		await().until(() -> this.admission.requests() == 3);
		assertProblem(ask("GET", "/v0/entity/any", field(LIMITED)), 429, "too-many-requests",
				"share of this principal");
		this.coordinator.silent = false;
		assertThat(ask("GET", "/v0/entity/pay:1", field(READER)).status).as("of another principal").isEqualTo(200);
		for (RawConnection connection : held) {
			connection.close();
		}
	}

	@Test
	void failuresBeyondTheLimitLeaveTheirConnectionOpen() throws IOException {
		try (RawConnection shared = connect()) {
			RawConnection.Answer refused = shared.request("GET", "/v0/entity/pay:1", WRONG).answer();
			for (int i = 0; i < 50 && refused.status != 429; i++) {
				assertProblem(refused, 401, "unauthenticated", "valid credentials");
				refused = shared.request("GET", "/v0/entity/pay:1", WRONG).answer();
			}
			assertProblem(refused, 429, "too-many-requests", "without valid credentials");
			assertThat(refused.headers).doesNotContainKey("connection").containsEntry("retry-after", "1");
			assertThat(shared.request("GET", "/v0/entity/pay:1", field(READER)).answer().status).isEqualTo(200);
			RawConnection.Answer unread = shared.request("PUT", "/v0/entity/pay:1", WRONG, "Content-Length: 1")
				.answer();
			assertProblem(unread, 429, "too-many-requests", "without valid credentials");
			assertThat(unread.headers).containsEntry("connection", "close");
		}
	}

	@Test
	void garbageInTheFieldIsRefused() throws IOException {
		Random random = new Random(SEED);
		for (int i = 0; i < FUZZED; i++) {
			StringBuilder field = new StringBuilder("Bearer " + READER.text());
			for (int changes = random.nextInt(5); changes >= 0; changes--) {
				field.insert(random.nextInt(field.length() + 1), (char) (32 + random.nextInt(224)));
			}
			this.access.pass();
			assertThat(status("GET", "/v0/entity/pay:1", field.toString().strip())).as(field.toString()).isIn(400, 401);
		}
	}

	@Test
	void neitherTokensNorKeysAreInTheAnswer() throws IOException {
		RawConnection.Answer answer = ask("GET", "/v0/entity/very-secret", field(READER));
		assertThat(answer.text()).doesNotContain("very-secret").doesNotContain(READER.text());
		assertThat(answer.headers.toString()).doesNotContain("very-secret").doesNotContain(READER.text());
	}

	private byte held(String key) {
		var entry = this.coordinator.held(Key.of(key));
		assertThat(entry).isNotNull();
		return entry.value().array()[0];
	}

	private static String field(Token token) {
		return "Authorization: " + bearer(token);
	}

	private static String bearer(Token token) {
		return "Bearer " + token.text();
	}

}
