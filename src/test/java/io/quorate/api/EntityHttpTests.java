package io.quorate.api;

import java.io.IOException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Random;

import io.quorate.api.RawConnection.Answer;
import io.quorate.coordinator.Consistency;
import io.quorate.coordinator.QuorumNotReachedException.Said;
import io.quorate.coordinator.QuorumNotReachedException;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.coordinator.RefusedException;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

class EntityHttpTests extends HttpTests {

	private static final String A = "/v0/entity?id=a";

	private static final String CHUNKS = "Accept: application/octet-stream";

	@Test
	void aValueThatWasPutIsReturned() throws IOException {
		Answer created = put(A, "value".getBytes(UTF_8));
		assertThat(created.status).isEqualTo(201);
		assertThat(created.body).isEmpty();
		assertThat(created.headers).containsEntry("cache-control", "no-store")
			.containsEntry("x-content-type-options", "nosniff")
			.hasEntrySatisfying("etag", (tag) -> assertThat(tag).matches("\"[0-9a-f-]+\""));
		Answer got = ask("GET", A);
		assertThat(got.status).isEqualTo(200);
		assertThat(got.text()).isEqualTo("value");
		assertThat(got.headers).containsEntry("content-type", "application/octet-stream")
			.containsEntry("content-length", "5")
			.containsEntry("cache-control", "no-store")
			.containsEntry("etag", created.headers.get("etag"))
			.doesNotContainKey("expires");
		Instant modified = ZonedDateTime.parse(got.headers.get("last-modified"), DateTimeFormatter.RFC_1123_DATE_TIME)
			.toInstant();
		assertThat(modified.toEpochMilli()).isEqualTo(held("a").timestamp().millis() / 1000 * 1000);
	}

	@Test
	void headSaysTheSameWithoutBody() throws IOException {
		put(A, "value".getBytes(UTF_8));
		try (RawConnection connection = connect()) {
			Answer head = connection.request("HEAD", A).head();
			assertThat(head.status).isEqualTo(200);
			assertThat(head.headers).containsEntry("content-length", "5")
				.containsKeys("etag", "last-modified")
				.doesNotContainKey("transfer-encoding");
			assertThat(connection.request("HEAD", "/v0/entity?id=b").head().status).isEqualTo(404);
			assertThat(connection.request("GET", A).answer().text()).isEqualTo("value");
		}
	}

	@Test
	void aDeletedValueIsGone() throws IOException {
		put(A, "value".getBytes(UTF_8));
		Answer deleted = ask("DELETE", A);
		assertThat(deleted.status).isEqualTo(202);
		assertThat(deleted.headers).containsKey("etag").containsEntry("cache-control", "no-store");
		assertProblem(ask("GET", A), 404, "not-found", "never written, deleted, or expired");
		assertThat(ask("DELETE", A).status).isEqualTo(202);
	}

	@Test
	void anEmptyValueIsAValue() throws IOException {
		assertThat(put(A, new byte[0]).status).isEqualTo(201);
		Answer got = ask("GET", A);
		assertThat(got.status).isEqualTo(200);
		assertThat(got.headers).containsEntry("content-length", "0");
		assertThat(ask("PUT", "/v0/entity?id=b").status).isEqualTo(201);
		assertThat(held("b").value()).isEqualTo(Value.EMPTY);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 1024, 65_535, 65_536, 65_537, 300_000, ApiTestApplication.MAX_VALUE_BYTES })
	void valuesOfAllSizesComeBackAsTheyWent(int size) throws IOException {
		byte[] value = new byte[size];
		new Random(size).nextBytes(value);
		assertThat(put(A, value).status).isEqualTo(201);
		Answer got = ask("GET", A);
		assertThat(got.headers).containsEntry("content-length", "" + size);
		assertThat(got.body).isEqualTo(value);
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "application/x-www-form-urlencoded", "text/plain", "application/json", "multipart/form-data" })
	void anyContentTypeIsTaken(String contentType) throws IOException {
		assertThat(put(A, "a=b&c=%zz".getBytes(UTF_8), "Content-Type: " + contentType).status).isEqualTo(201);
		assertThat(ask("GET", A, "Accept: image/png").text()).isEqualTo("a=b&c=%zz");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			Content-Encoding: gzip
			Content-Encoding: identity, br
			Content-Encoding: identity~Content-Encoding: aws-chunked
			""")
	void aCodedBodyIsRefused(String fields) throws IOException {
		Answer answer = put(A, "v".getBytes(UTF_8), fields.split("~", -1));
		assertProblem(answer, 415, "content-coding", "application/gzip");
		assertThat(answer.headers).containsEntry("accept-encoding", "identity");
		answer = post("/v0/batch", "{\"op\":\"put\",\"id\":\"a\",\"text\":\"v\"}".getBytes(UTF_8),
				fields.split("~", -1));
		assertProblem(answer, 415, "content-coding", "Content-Encoding");
		assertThat(this.coordinator.calls).hasValue(0);
		assertThat(put(A, "v".getBytes(UTF_8), "Content-Encoding: Identity").status).isEqualTo(201);
	}

	@Test
	void aTtlBecomesExpires() throws IOException {
		put(A + "&ttl=3600", "v".getBytes(UTF_8));
		Instant expires = ZonedDateTime
			.parse(requireNonNull(ask("GET", A).headers.get("expires")), DateTimeFormatter.RFC_1123_DATE_TIME)
			.toInstant();
		assertThat(expires.toEpochMilli()).isEqualTo((held("a").timestamp().millis() + 3_600_000) / 1000 * 1000);
		assertProblem(put(A + "&ttl=0", "v".getBytes(UTF_8)), 400, "bad-request", "ttl");
		assertThat(put(A, "v".getBytes(UTF_8), "Quorate-TTL: 5").status).isEqualTo(201);
		assertThat(ask("GET", A).headers).containsKey("expires");
	}

	@Test
	void consistencyAndTimeoutReachTheCoordinator() throws IOException {
		this.coordinator.replicationFactor = 3;
		ask("GET", A + "&replicas=1/2", "Quorate-Timeout: 20000");
		assertThat(this.coordinator.lastConsistency).isEqualTo(new Consistency(1, 2));
		assertThat(this.coordinator.lastTimeLeft).isBetween(ofSeconds(15), ofSeconds(20));
		ask("DELETE", A + "&ack=3");
		assertThat(this.coordinator.lastConsistency).isEqualTo(new Consistency(3, 3));
		assertThat(this.coordinator.lastTimeLeft).isLessThanOrEqualTo(ofSeconds(5));
		put(A, new byte[1]);
		assertThat(this.coordinator.lastConsistency).isEqualTo(new Consistency(2, 3));
	}

	@ParameterizedTest
	@CsvSource(delimiter = ' ', textBlock = """
			/v0/entity missing
			/v0/entity? missing
			/v0/entity?id= empty
			/v0/entity?id=a&id=b once
			/v0/entity?key=a&id=b beside
			/v0/entity?id=%zz escape
			/v0/entity?id=%ff UTF-8
			/v0/entity?id=a&ack=2 above
			/v0/entity?id=a&from=2 replication
			/v0/entity?id=a&replicas=1 ack/from
			/v0%zz/entity?id=a path
			""")
	void anInvalidRequestIsRefusedForEveryMethodBeforeAnyWork(String target, String wrong) throws IOException {
		for (String method : List.of("GET", "PUT", "DELETE")) {
			assertProblem(ask(method, target), 400, "bad-request", wrong);
		}
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@ParameterizedTest
	@ValueSource(strings = { "key=a", "key=a&id=a" })
	void aKeyIsTheParameterThatTheGlossaryCallsSo(String query) throws IOException {
		assertThat(put("/v0/entity?" + query, "v".getBytes(UTF_8)).status).isEqualTo(201);
		assertThat(ask("GET", "/v0/entity?" + query).text()).isEqualTo("v");
		assertThat(held("a").value().size()).isOne();
	}

	@ParameterizedTest
	@CsvSource(delimiter = ' ', textBlock = """
			a%2Bb a+b
			a%7Cb a|b
			[a] [a]
			a%25 a%
			%D0%BA к
			""", quoteCharacter = '`')
	void idsAreWhatTheySay(String id, String key) throws IOException {
		assertThat(put("/v0/entity?id=" + id, "v".getBytes(UTF_8)).status).isEqualTo(201);
		assertThat(held(key).value().size()).isOne();
		assertThat(ask("GET", "/v0/entity?_&id=" + id).text()).isEqualTo("v");
	}

	@Test
	void theLongestKeyFitsTheRequestLine() throws IOException {
		String id = "%D0%BA".repeat(512);
		assertThat(put("/v0/entity?id=" + id, new byte[1]).status).isEqualTo(201);
		assertThat(ask("GET", "/v0/entities?start=" + id + "&end=" + id + "%00", CHUNKS).chunks).hasSize(1);
		assertThat(ask("GET", "/v0/entities?start=" + id + "&end=" + id + "%00%00").status).isEqualTo(400);
		assertThat(ask("GET", "/v0/entities?start=" + id + "&end=" + "%D1%8E".repeat(512), CHUNKS).chunks).hasSize(1);
		assertProblem(ask("GET", "/v0/entity?id=" + id + "a"), 400, "bad-request", "1025 bytes");
	}

	@Test
	void clientsCannotForgeAFlaw() throws IOException {
		put(A, new byte[1]);
		assertThat(ask("GET", A, "quorate-internal-flaw: forged").status).isEqualTo(200);
	}

	@ParameterizedTest
	@ValueSource(strings = { "POST", "OPTIONS", "TRACE", "FOO" })
	void otherMethodsAreNotAllowed(String method) throws IOException {
		Answer answer = ask(method, A);
		assertProblem(answer, 405, "method-not-allowed", method);
		assertThat(answer.headers).containsEntry("allow", "GET, HEAD, PUT, PATCH, DELETE");
		Answer range = ask(method, "/v0/entities?start=a");
		assertProblem(range, 405, "method-not-allowed", method);
		assertThat(range.headers).containsEntry("allow", "GET");
	}

	@Test
	void anotherOriginMayNotAskForMore() throws IOException {
		Answer answer = ask("OPTIONS", A, "Origin: http://elsewhere.example", "Access-Control-Request-Method: PUT");
		assertProblem(answer, 403, "cross-origin", "another origin");
		assertThat(answer.headers).doesNotContainKey("access-control-allow-origin");
	}

	@Test
	void tooFewReplicasAre504WithEverythingKnown() throws IOException {
		this.coordinator.failure = new QuorumNotReachedException(2, 1, true,
				List.of(new Said("n0", "ack"), new Said("n1", "silent"), new Said("n2", "disk-full")));
		Answer answer = put(A, new byte[1]);
		assertProblem(answer, 504, "not-enough-replicas", "2 of 3 replicas");
		assertThat(answer.text()).contains("\"title\":\"Not Enough Replicas\"", "\"required\":2", "\"acknowledged\":1",
				"\"outcome\":\"unknown\"", "\"instance\":\"/v0/entity\"", "\"replicas\":[{", "\"node\":\"n2\"",
				"\"said\":\"disk-full\"");
		this.coordinator.failure = new QuorumNotReachedException(2, 1, false, List.of());
		assertThat(ask("GET", A).text()).doesNotContain("outcome");
	}

	@ParameterizedTest
	@EnumSource(Why.class)
	void refusalsSayThatNothingWasDone(Why why) throws IOException {
		this.coordinator.failure = new RefusedException(why, "the bound of 7");
		Answer answer = put(A, new byte[1]);
		int status = switch (why) {
			case DISK_FULL -> 507;
			case SHARE -> 429;
			case REQUESTS, BYTES, REPLICAS, DRAINING, LATE, CLOCK -> 503;
		};
		assertThat(answer.status).isEqualTo(status);
		assertThat(answer.text()).contains("the bound of 7; nothing was done");
		assertThat(answer.headers.get("retry-after")).isEqualTo((status == 503 || status == 429) ? "1" : null);
	}

	@Test
	void aBugIs500WithoutItsInnards() throws IOException {
		this.coordinator.failure = new IllegalStateException("secret innards");
		Answer answer = ask("GET", A);
		assertProblem(answer, 500, "internal-error", "log");
		assertThat(answer.text()).doesNotContain("innards");
	}

	@ParameterizedTest
	@CsvSource({ "/v0, 400, unknown-path", "/v0/, 400, unknown-path", "/v0/other?id=a, 400, unknown-path",
			"/v0/entitya, 400, unknown-path", "/v0x, 404, unknown-page", "/v1/entity?id=a, 404, unknown-page",
			"/index.html, 404, unknown-page", "/favicon.ico, 404, unknown-page" })
	void thereIsNothingUnderAnUnknownPath(String path, int status, String name) throws IOException {
		for (String method : List.of("GET", "PUT", "POST", "OPTIONS")) {
			assertThat(ask(method, path).status).isEqualTo(status);
		}
		Answer answer = ask("GET", path);
		assertProblem(answer, status, name, "nothing is under this path");
		assertThat(answer.text()).endsWith("}\n");
	}

	@ParameterizedTest
	@CsvSource({ "tll=60, ttl", "TTL=60, ttl", "tl=60, ttl", "replcas=1/1, replicas", "frm=1, from", "aack=1, ack",
			"i%64d=b, id", "_ttl=60, ttl" })
	void aMisspeltParameterIsRefused(String parameter, String meant) throws IOException {
		for (String method : List.of("GET", "PUT", "DELETE")) {
			assertProblem(ask(method, A + "&" + parameter), 400, "bad-request", "did you mean '" + meant + "'?");
		}
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@ParameterizedTest
	@ValueSource(strings = { "x", "x=1", "lang=de", "%D0%BA=1", "=1", "cas=0", "lease=7", "expires=60", "expire=10",
			"offset=3", "order=desc", "page=2", "max=5", "watch=true", "index=7", "limit=1", "start=a" })
	void aParameterOfAnotherStoreIsRefused(String parameter) throws IOException {
		for (String method : List.of("GET", "HEAD", "PUT", "DELETE")) {
			assertRefused(method, A + "&" + parameter,
					"is unknown here, where there are ack, consistency, from, id, key, replicas, ttl, wait");
		}
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@Test
	void aLongNameIsNotRepeated() throws IOException {
		assertThat(ask("GET", A + "&" + "n".repeat(9000)).body.length).isLessThan(400);
	}

	@Test
	void aTimeToLiveIsOfWritesAlone() throws IOException {
		for (String method : List.of("GET", "HEAD", "DELETE")) {
			assertRefused(method, A + "&ttl=60", "'ttl' and Quorate-TTL are for PUT");
			assertRefused(method, A, "'ttl' and Quorate-TTL are for PUT", "Quorate-TTL: 60");
		}
		assertThat(this.coordinator.calls).hasValue(0);
	}

	private void assertRefused(String method, String target, String why, String... headers) throws IOException {
		try (RawConnection connection = connect()) {
			connection.request(method, target, headers);
			if (method.equals("HEAD")) {
				assertThat(connection.head().status).isEqualTo(400);
			}
			else {
				assertProblem(documented(method, target, connection.answer()), 400, "bad-request", why);
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "_=1732", "_", "_dc=1", "_ts=2", "utm_source=a+b", "traceparent=00-1-2-03", "trace_id=5" })
	void aParameterOfAProxyATracerOrACacheIsIgnored(String parameter) throws IOException {
		assertThat(put(A + "&" + parameter, "v".getBytes(UTF_8)).status).isEqualTo(201);
		assertThat(ask("GET", "/v0/entity?" + parameter + "&id=a").text()).isEqualTo("v");
	}

	@ParameterizedTest
	@ValueSource(strings = { "id=a+b", "id=+", "id=a&ttl=+5", "id=a&replicas=+1/1" })
	void aBarePlusIsRefusedBecauseEncodersMeanTwoThingsByIt(String query) throws IOException {
		assertProblem(put("/v0/entity?" + query, new byte[1]), 400, "bad-request",
				"has a bare '+': write %20 for a space, %2B for a plus");
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@Test
	void theActuatorAnswersAsBootDoes() throws IOException {
		assertThat(ask("GET", "/actuator/health").status).isEqualTo(200);
		assertThat(ask("GET", "/actuator/health/liveness").status).isEqualTo(200);
		assertThat(ask("GET", "/actuator/health/readiness").status).isEqualTo(200);
		assertThat(ask("GET", "/actuator/prometheus").status).isEqualTo(200);
		assertThat(ask("GET", "/actuator/info").status).isEqualTo(200);
		assertThat(ask("GET", "/actuator/env").status).isEqualTo(404);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/actuator/health", "/actuator/env", "/actuator/health/nothing" })
	void evenTheActuatorHasNoPagesForBrowsers(String path) throws IOException {
		Answer answer = ask("GET", path, "Accept: text/html");
		assertThat(answer.status).isBetween(404, 406);
		assertThat(answer.text()).doesNotContain("<html", "Exception");
		assertProblem(answer, answer.status, "bad-request", "cannot be answered as it stands");
	}

	private Entry.Live held(String key) {
		return requireNonNull(this.coordinator.held(Key.of(key)));
	}

}
