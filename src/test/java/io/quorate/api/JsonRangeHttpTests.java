package io.quorate.api;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;

import io.quorate.api.RawConnection.Answer;
import io.quorate.api.request.EntityTag;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.QuorumNotReachedException;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/** Ranges as lines of JSON, and the clients that get them so. */
class JsonRangeHttpTests extends HttpTests {

	@Test
	void eachRecordIsALineAndTheLastLineIsTheEnd() throws IOException {
		hold("ключ \"1\"\n", "v\u0000");
		hold("b", "");
		Answer answer = ask("GET", "/v0/entities?start=a", "Accept: text/html, application/x-ndjson;q=0.5");
		assertThat(answer.headers).containsEntry("content-type", "application/x-ndjson")
			.containsEntry("vary", "Accept")
			.doesNotContainKey("link");
		List<JsonNode> lines = lines(answer);
		assertThat(answer.chunks).hasSize(3);
		assertThat(lines).hasSize(3);
		assertThat(lines.get(0).get("key").asString()).isEqualTo("b");
		assertThat(lines.get(1).get("key").asString()).isEqualTo("ключ \"1\"\n");
		assertThat(Base64.getDecoder().decode(lines.get(1).get("value").asString())).isEqualTo(new byte[] { 'v', 0 });
		assertThat(lines.get(1).get("etag").asString())
			.isEqualTo(EntityTag.of(requireNonNull(this.coordinator.held(Key.of("ключ \"1\"\n"))).timestamp()));
		assertThat(answer.text()).endsWith("\n{\"last\":true,\"records\":2}\n");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', nullValues = "none", textBlock = """
			none | application/x-ndjson
			*/* | application/x-ndjson
			application/* | application/x-ndjson
			/ | application/x-ndjson
			a/b/c;; | application/x-ndjson
			text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8 | application/x-ndjson
			application/x-ndjson | application/x-ndjson
			application/json, application/x-ndjson | application/x-ndjson
			application/json;q=0.5, */* | application/x-ndjson
			application/json;q=0, */* | application/x-ndjson
			application/octet-stream;q=0, application/x-ndjson;q=0.1, */* | application/jsonl
			application/jsonl | application/jsonl
			application/x-ndjson;q=0, application/* | application/jsonl
			application/json | application/json
			Application/JSON;charset=utf-8 | application/json
			application/json, */* | application/json
			application/json, text/plain, */* | application/json
			*/*;q=0.1, application/json;q=0.2 | application/json
			text/plain, application/json, application/*+json, */* | application/json
			application/json;q=0.5, text/html | application/json
			application/json;q=0.5, application/octet-stream;q=0.4 | application/json
			application/x-ndjson;q=0.1, application/json;q=0.9, */*;q=0.05 | application/json
			application/octet-stream | application/octet-stream
			application/octet-stream, */* | application/octet-stream
			application/json;q=0.5, application/octet-stream | application/octet-stream
			application/octet-stream;q=0.2, */*;q=0.1 | application/octet-stream
			""")
	void aClientGetsTheTypeThatItAccepts(@Nullable String accept, String type) throws IOException {
		hold("a", "v");
		Answer answer = (accept != null) ? ask("GET", "/v0/entities?start=a", "Accept: " + accept)
				: ask("GET", "/v0/entities?start=a");
		assertThat(answer.headers).containsEntry("content-type", type).containsEntry("vary", "Accept");
		switch (type) {
			case "application/json" ->
				assertThat(JsonMapper.shared().readTree(answer.text()).get("records")).hasSize(1);
			case "application/octet-stream" -> assertThat(answer.text()).isEqualTo("a\nv");
			default ->
				assertThat(answer.text()).startsWith("{\"key\":\"a\",").endsWith("{\"last\":true,\"records\":1}\n");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "text/html", "application/x-ndjson;q=0", "*/*;q=0", "image/*, text/plain",
			"application/vnd.api+json" })
	void aClientThatAcceptsNoneOfTheTypesIsRefused(String accept) throws IOException {
		assertProblem(ask("GET", "/v0/entities?start=a", "Accept: " + accept), 406, "not-acceptable",
				"application/x-ndjson, application/jsonl, application/json, application/octet-stream");
		assertThat(this.coordinator.pages).hasValue(0);
	}

	@Test
	void aClientThatAcceptsJsonAloneReadsOneObject() throws IOException {
		hold("b", "v");
		hold("a", "");
		hold("c\u2028", "w");
		JsonNode whole = object("start=a");
		assertThat(whole.propertyNames()).containsExactly("records");
		assertThat(whole.get("records").findValuesAsString("key")).containsExactly("a", "b", "c\u2028");
		JsonNode first = object("start=a&limit=2&keys=true");
		assertThat(first.get("records").findValues("size")).hasSize(2);
		assertThat(
				object(first.get("next").asString().replaceFirst(".*\\?", "")).get("records").findValuesAsString("key"))
			.containsExactly("c\u2028");
		assertThat(object("prefix=x").get("records")).isEmpty();
		assertThat(object("start=b&end=a").get("records")).isEmpty();
	}

	private JsonNode object(String query) throws IOException {
		Answer answer = ask("GET", "/v0/entities?" + query, "Accept: application/json");
		assertThat(answer.headers).containsEntry("content-type", "application/json");
		return JsonMapper.shared().readTree(answer.text());
	}

	/* Python's splitlines and others end lines there. */
	@ParameterizedTest
	@ValueSource(strings = { "\u0085", "\u2028", "\u2029" })
	void noReaderOfLinesEndsOneInAKey(String separator) throws IOException {
		hold("a" + separator + "b", "v");
		for (String query : List.of("prefix=a", "prefix=a&keys=true")) {
			Answer answer = ask("GET", "/v0/entities?" + query);
			assertThat(answer.text()).doesNotContain(separator);
			assertThat(lines(answer).getFirst().get("key").asString()).isEqualTo("a" + separator + "b");
		}
		String batch = "{\"op\":\"get\",\"id\":\"a\",\"valu%s\":1}\n".formatted(separator);
		Answer answer = post("/v0/batch", batch.getBytes(StandardCharsets.UTF_8));
		assertThat(answer.text()).contains("\\u").doesNotContain(separator);
	}

	@ParameterizedTest
	@ValueSource(strings = { "start=x", "start=b&end=a", "start=a&end=a&limit=3", "prefix=x", "prefix=x&limit=1" })
	void anEmptyRangeHasTheLastLineAlone(String query) throws IOException {
		hold("a", "v");
		Answer answer = ask("GET", "/v0/entities?" + query);
		assertThat(answer.status).isEqualTo(200);
		assertThat(answer.text()).isEqualTo("{\"last\":true,\"records\":0}\n");
	}

	@ParameterizedTest
	@CsvSource({ "'', */*", "&limit=900, */*", "'', application/json" })
	void aScanThatFailsHasNoEnd(String limit, String type) throws IOException {
		for (int i = 0; i < 1000; i++) {
			hold("k%06d".formatted(i), "v".repeat(1000));
		}
		this.coordinator.pagesBeforeFailure = 2;
		this.coordinator.failure = new QuorumNotReachedException(1, 0, false, List.of());
		StringBuilder read = new StringBuilder();
		try (RawConnection connection = connect()) {
			connection.request("GET", "/v0/entities?start=k" + limit, "Accept: " + type);
			assertThat(connection.head().status).isEqualTo(200);
			assertThatIOException().isThrownBy(() -> {
				for (byte[] chunk = connection.chunk(); chunk != null; chunk = connection.chunk()) {
					read.append(new String(chunk, StandardCharsets.UTF_8));
				}
			});
		}
		assertThat(read.toString()).contains("\"k000000\"").doesNotContain("\"last\"", "]");
	}

	@Test
	void keysComeWithoutValues() throws IOException {
		hold("a", "four");
		hold("b", "");
		Instant expiry = Instant.parse("2099-01-02T03:04:05.678Z");
		this.coordinator.hold(Key.of("c"), new Entry.Live(new Timestamp(5, 6), 1, expiry.toEpochMilli(), Value.EMPTY));
		for (String accept : List.of("*/*", "application/octet-stream, */*;q=0.1", "application/x-ndjson")) {
			Answer answer = ask("GET", "/v0/entities?start=a&keys=true", "Accept: " + accept);
			assertThat(answer.headers).containsEntry("content-type", "application/x-ndjson");
			String a = EntityTag.of(requireNonNull(this.coordinator.held(Key.of("a"))).timestamp())
				.replace("\"", "\\\"");
			assertThat(answer.text().lines().toList()).hasSize(4)
				.startsWith("{\"key\":\"a\",\"size\":4,\"etag\":\"" + a + "\"}")
				.endsWith("{\"key\":\"c\",\"size\":0,\"etag\":\"\\\"0000000000000005-00000006\\\"\","
						+ "\"expires\":\"2099-01-02T03:04:05.678Z\"}", "{\"last\":true,\"records\":3}");
		}
		assertProblem(ask("GET", "/v0/entities?start=a&keys=true", "Accept: application/octet-stream"), 406,
				"not-acceptable", "application/json");
		assertThat(ask("GET", "/v0/entities?start=c").text()).startsWith("{\"key\":\"c\",\"value\":\"\",\"etag\":")
			.contains(",\"expires\":\"2099-01-02T03:04:05.678Z\"}\n");
	}

	@Test
	void aValueThatIsCarriedOnKeepsItsVersion() throws IOException {
		Entry written = new Entry.Live(new Timestamp(5, 6), 1, Entry.NEVER, Value.EMPTY);
		this.coordinator.hold(Key.of("a"), (Entry.Live) written.at(new Timestamp(7, 8)));
		String etag = "\"etag\":\"\\\"0000000000000005-00000006\\\"\"}\n";
		assertThat(ask("GET", "/v0/entities?start=a").text()).startsWith("{\"key\":\"a\",\"value\":\"\"," + etag);
		assertThat(ask("GET", "/v0/entities?start=a&keys=true").text()).startsWith("{\"key\":\"a\",\"size\":0," + etag);
	}

	private void hold(String key, String value) {
		this.coordinator.hold(Key.of(key), Value.wrap(value.getBytes(StandardCharsets.UTF_8)));
	}

	private static List<JsonNode> lines(Answer answer) {
		return answer.text().lines().map(JsonMapper.shared()::readTree).toList();
	}

}
