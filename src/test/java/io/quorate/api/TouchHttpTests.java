package io.quorate.api;

import java.io.IOException;
import java.util.List;

import io.quorate.api.RawConnection.Answer;
import io.quorate.coordinator.ContendedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** Touches, by each answer that they can have. */
class TouchHttpTests extends HttpTests {

	private static final String A = "/v0/entity/a";

	private static final byte[] VALUE = "value".getBytes(UTF_8);

	private static String tag(Answer answer) {
		return requireNonNull(answer.headers.get("etag"), answer::text);
	}

	@Test
	void aTouchKeepsTheVersionAndSaysWhenTheValueEnds() throws IOException {
		String tag = tag(put(A + "?ttl=5", VALUE));
		requireTouched(tag, A + "?ttl=600");
		requireTouched(tag, A, "Quorate-TTL: 700");
		requireTouched(tag, A + "?ttl=800", "If-Match: " + tag);
		requireTouched(tag, A + "?ttl=900&consistency=linearizable", "Content-Length: 0");
		requireTouched(tag, "/v0/entity?key=a&ttl=1000");
		assertThat(ask("GET", A).body).isEqualTo(VALUE);
	}

	private void requireTouched(String tag, String target, String... fields) throws IOException {
		Answer touched = ask("PATCH", target, fields);
		assertThat(touched.status).as(touched.text()).isEqualTo(200);
		assertThat(touched.headers).containsEntry("etag", tag)
			.containsEntry("cache-control", "no-store, no-transform")
			.containsEntry("content-length", "0");
		assertThat(touched.headers.get("expires")).isEqualTo(ask("GET", A).headers.get("expires"));
	}

	@Test
	void aTouchOfAnotherVersionOrOfNoneIsRefused() throws IOException {
		Answer never = ask("PATCH", A + "?ttl=5");
		assertThat(never.status).isEqualTo(404);
		assertThat(never.headers).doesNotContainKey("quorate-version");
		String tag = tag(put(A, VALUE));
		Answer other = ask("PATCH", A + "?ttl=5", "If-Match: \"other\"");
		assertThat(other.status).isEqualTo(412);
		assertThat(other.headers).containsEntry("etag", tag);
		String deletion = tag(ask("DELETE", A));
		for (Answer absent : List.of(ask("PATCH", A + "?ttl=5"), ask("PATCH", A + "?ttl=5", "If-Match: " + tag))) {
			assertThat(absent.status).isEqualTo(404);
			assertThat(absent.headers).containsEntry("quorate-version", deletion);
		}
		this.coordinator.failure = new ContendedException(3);
		assertProblem(ask("PATCH", A + "?ttl=5"), 409, "contended", "3 rounds");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			''             | X: y                                               | name it by parameter 'ttl'
			?ttl=0         | X: y                                               | 'ttl'
			?ttl=5&ack=1   | X: y                                               | concerns all 3 replicas
			?ttl=5         | If-None-Match: *                                   | If-None-Match on a touch
			?ttl=5         | If-Unmodified-Since: Sat, 01 Jan 2022 00:00:00 GMT | on a touch
			?ttl=5         | If-Match:                                          | If-Match is neither
			?ttl=5         | Idempotency-Key: a                                 | may be repeated without one
			?ttl=5         | Transfer-Encoding: chunked                         | has no body
			""")
	void aTouchThatSaysSomethingElseIsRefused(String query, String field, String detail) throws IOException {
		this.coordinator.replicationFactor = 3;
		assertProblem(ask("PATCH", A + query, field), 400, "bad-request", detail);
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@Test
	void aTouchHasNoBody() throws IOException {
		try (RawConnection connection = connect()) {
			connection.send("PATCH " + A + "?ttl=5 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx");
			assertProblem(connection.answer(), 400, "bad-request", "PUT writes a value");
		}
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@Test
	void aKeyThatTakesOnlyConditionalWritesMayBeTouched() throws IOException {
		assertThat(ask("PATCH", "/v0/entity/only:1?ttl=5").status).isEqualTo(404);
		assertThat(items("{'op':'touch','key':'only:1','ttl':5}").getFirst().get("status").asInt()).isEqualTo(404);
	}

	@Test
	void aTouchInABatchIsOneOfItsOwn() throws IOException {
		String tag = tag(put(A + "?ttl=5", VALUE));
		List<JsonNode> touched = items("{'op':'touch','key':'a','ttl':600}",
				"{'op':'touch','key':'a','ttl':700.0,'consistency':'linearizable','ifMatch':'%s'}"
					.formatted(tag.replace("\"", "\\\"")),
				"{'op':'get','key':'a'}");
		assertThat(touched).allSatisfy((line) -> {
			assertThat(line.get("status").asInt()).isEqualTo(200);
			assertThat(line.get("etag").asString()).isEqualTo(tag);
		});
		assertThat(touched.get(1).propertyNames()).containsExactly("status", "etag", "expires");
		assertThat(touched.get(1).get("expires")).isEqualTo(touched.get(2).get("expires"))
			.isNotEqualTo(touched.get(0).get("expires"));
		assertThat(ask("GET", A).body).isEqualTo(VALUE);
	}

	@Test
	void aTouchInABatchIsAnsweredAsASingleOne() throws IOException {
		String tag = tag(put(A, VALUE));
		String deletion = tag(ask("DELETE", "/v0/entity/gone"));
		List<JsonNode> lines = items("{'op':'touch','key':'never','ttl':5}", "{'op':'touch','key':'gone','ttl':5}",
				"{'op':'touch','key':'a','ttl':5,'ifMatch':'\\\"other\\\"'}");
		assertThat(lines).extracting((line) -> line.get("status").asInt()).containsExactly(404, 404, 412);
		assertThat(lines.get(0).get("problem").get("type").asString()).endsWith(":not-found");
		assertThat(lines.get(0).get("version")).isNull();
		assertThat(lines.get(1).get("version").asString()).isEqualTo(deletion);
		assertThat(lines.get(2).get("etag").asString()).isEqualTo(tag);
		assertThat(lines.get(2).get("problem").get("current").asString()).isEqualTo(tag);
		this.coordinator.replicationFactor = 3;
		Answer fewer = batch("?ack=1", "{\"op\":\"touch\",\"key\":\"a\",\"ttl\":5}");
		assertThat(fewer.text()).contains("\"status\":400", "concerns all 3 replicas");
	}

	@ParameterizedTest
	@CsvSource({ "?ttl=keep, X: y", "'', Quorate-TTL: keep", "?ttl=keep, Quorate-TTL: keep" })
	void aWriteOnAConditionMayKeepTheExpiry(String query, String field) throws IOException {
		put(A + "?ttl=3000", VALUE);
		String before = expires();
		assertThat(put(A + query, VALUE, "If-Match: *", field).status).isEqualTo(201);
		assertThat(expires()).isEqualTo(before);
		Answer items = batch("{\"key\":\"a\",\"text\":\"x\",\"ttl\":\"keep\",\"ifMatch\":\"*\"}");
		assertThat(items.text()).contains("\"status\":201");
		assertThat(expires()).isEqualTo(before);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			?ttl=keep | X: y              | parameter 'ttl' is keep, which is for a write on a condition
			''        | Quorate-TTL: keep | header Quorate-TTL is keep
			?ttl=keep&consistency=linearizable | X: y | parameter 'ttl' is keep
			?ttl=60   | Quorate-TTL: keep | parameter 'ttl' is 60 and header Quorate-TTL is keep
			?ttl=keep | Quorate-TTL: 60   | parameter 'ttl' is keep and header Quorate-TTL is 60
			""")
	void anExpiryIsKeptOnlyOnACondition(String query, String field, String detail) throws IOException {
		assertProblem(put(A + query, VALUE, field), 400, "bad-request", detail);
		assertProblem(ask("PATCH", A + "?ttl=keep"), 400, "bad-request", "'ttl'");
		assertThat(batch("{\"key\":\"a\",\"text\":\"x\",\"ttl\":\"keep\"}").text()).contains("\"status\":400",
				"member 'ttl' is keep");
		assertThat(batch("{\"key\":\"a\",\"text\":\"x\",\"ttl\":\"60\",\"ifMatch\":\"*\"}").text())
			.contains("\"status\":400", "it is a number of seconds");
		assertThat(this.coordinator.calls).hasValue(0);
	}

	private String expires() throws IOException {
		return requireNonNull(ask("GET", A).headers.get("expires"));
	}

	private List<JsonNode> items(String... lines) throws IOException {
		Answer answer = batch(String.join("\n", lines).replace('\'', '"'));
		return answer.text().lines().map(JsonMapper.shared()::readTree).toList();
	}

	private Answer batch(String lines) throws IOException {
		return batch("", lines);
	}

	private Answer batch(String query, String lines) throws IOException {
		try (RawConnection connection = connect()) {
			connection.send("POST /v0/batch%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
				.formatted(query, lines.length(), lines));
			return connection.answer();
		}
	}

}
