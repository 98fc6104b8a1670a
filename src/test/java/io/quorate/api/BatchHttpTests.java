package io.quorate.api;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.api.RawConnection.Answer;
import io.quorate.api.request.EntityTag;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.Consistency;
import io.quorate.coordinator.ContendedException;
import io.quorate.coordinator.FatedWrites;
import io.quorate.coordinator.IdempotencyKeyReusedException;
import io.quorate.coordinator.QuorumNotReachedException.Said;
import io.quorate.coordinator.QuorumNotReachedException;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.coordinator.RefusedException;
import io.quorate.coordinator.Written.Replayed;
import io.quorate.entry.Condition;
import io.quorate.entry.Entry;
import io.quorate.entry.IdempotencyKey;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

class BatchHttpTests extends HttpTests {

	private static final String BATCH = "/v0/batch";

	@Autowired
	private MeterRegistry meters;

	@Test
	void eachItemIsAnsweredInItsPlace() throws IOException {
		hold("b", "old".getBytes(UTF_8));
		Answer answer = batch("""
				{"op":"put","id":"a","value":"aGVsbG8="}
				{"op":"put","id":"ключ \\"1\\"","text":"two\\nlines, \\u00e4 and \\ud83d\\ude00"}
				{"op":"get","id":"b"}
				{"op":"get","id":"nothing"}
				{"op":"delete","id":"b"}
				""");
		assertThat(answer.status).isEqualTo(200);
		assertThat(answer.headers).containsEntry("content-type", "application/x-ndjson")
			.containsEntry("cache-control", "no-store")
			.containsKey("server-timing");
		List<JsonNode> lines = lines(answer);
		assertThat(statuses(lines)).containsExactly(201, 201, 200, 404, 202);
		assertThat(text("a")).isEqualTo("hello");
		assertThat(text("ключ \"1\"")).isEqualTo("two\nlines, ä and 😀");
		assertThat(lines.get(0).get("etag").asString()).isEqualTo(tag("a"));
		assertThat(value(lines.get(2))).isEqualTo("old".getBytes(UTF_8));
		assertThat(lines.get(3).get("problem").get("type").asString()).isEqualTo("urn:quorate:problem:not-found");
		assertThat(lines.get(4).get("etag").asString()).matches("\"[0-9a-f-]+\"");
		assertThat(this.coordinator.held(Key.of("b"))).isNull();
	}

	@Test
	void anEmptyBatchHasAnEmptyAnswer() throws IOException {
		for (String body : List.of("", "\n", "\r\n \t\n\n")) {
			Answer answer = batch(body);
			assertThat(answer.status).isEqualTo(200);
			assertThat(answer.body).isEmpty();
		}
	}

	@Test
	void linesMayEndAsTheyDoOnAnySystem() throws IOException {
		Answer answer = batch(
				"\ufeff\r\n  {\"op\":\"put\",\"id\":\"a\",\"text\":\"1\"}\r\n\r\n\t{ \"op\" : \"get\" , \"id\" : \"a\" }");
		assertThat(statuses(lines(answer))).containsExactly(201, 200);
	}

	@ParameterizedTest
	@ValueSource(strings = { "application/x-ndjson", "application/jsonl", "application/json",
			"text/plain; charset=utf-8", "application/x-www-form-urlencoded", "nonsense" })
	void anyContentTypeWillDo(String type) throws IOException {
		Answer answer = post(BATCH, "{\"op\":\"put\",\"id\":\"a\",\"text\":\"1\"}".getBytes(UTF_8),
				"Content-Type: " + type);
		assertThat(statuses(lines(answer))).containsExactly(201);
	}

	@Test
	void anExpiringValueSaysWhenItExpires() throws IOException {
		Answer answer = batch("{\"op\":\"put\",\"id\":\"a\",\"text\":\"\",\"ttl\":60}\n{\"op\":\"get\",\"id\":\"a\"}");
		JsonNode got = lines(answer).get(1);
		long expiry = requireNonNull(this.coordinator.held(Key.of("a"))).expiryMillis();
		assertThat(Instant.parse(got.get("expires").asString()).toEpochMilli()).isEqualTo(expiry);
		assertThat(value(got)).isEmpty();
	}

	@Test
	void aValueKeepsItsContentType() throws IOException {
		List<JsonNode> lines = lines(batch("""
				{"op":"put","id":"a","contentType":"text/html; charset=utf-8","text":"1"}
				{"op":"put","id":"b","contentType":null,"text":"1"}
				{"op":"get","id":"a"}
				{"op":"get","id":"b"}
				"""));
		assertThat(lines.get(2).get("contentType").asString()).isEqualTo("text/html; charset=utf-8");
		assertThat(lines.get(3).get("contentType")).isNull();
		assertThat(ask("GET", "/v0/entity/a").headers).containsEntry("content-type", "text/html; charset=utf-8");
	}

	@Test
	void aValueThatIsCarriedOnKeepsItsVersion() throws IOException {
		Entry written = new Entry.Live(new Timestamp(5, 6), 1, Entry.NEVER, Value.EMPTY);
		this.coordinator.hold(Key.of("a"), (Entry.Live) written.at(new Timestamp(7, 8)));
		List<JsonNode> lines = lines(batch("""
				{"op":"get","id":"a"}
				{"op":"get","id":"a","ifNoneMatch":"\\"0000000000000005-00000006\\""}
				{"op":"get","id":"a","ifMatch":"\\"0000000000000007-00000008\\""}
				"""));
		assertThat(statuses(lines)).containsExactly(200, 304, 412);
		assertThat(lines).allMatch((line) -> "\"0000000000000005-00000006\"".equals(line.get("etag").asString()));
	}

	@Test
	void aReadIsConditional() throws IOException {
		hold("a", "1".getBytes(UTF_8));
		String tag = tag("a").replace("\"", "\\\"");
		List<JsonNode> lines = lines(batch("""
				{"op":"get","id":"a","ifNoneMatch":"TAG"}
				{"op":"get","id":"a","ifNoneMatch":"*"}
				{"op":"get","id":"a","ifNoneMatch":"\\"other\\", TAG"}
				{"op":"get","id":"a","ifNoneMatch":"\\"other\\""}
				{"op":"get","id":"a","ifMatch":"TAG"}
				{"op":"get","id":"a","ifMatch":"\\"other\\""}
				{"op":"get","id":"nothing","ifNoneMatch":"*"}
				""".replace("TAG", tag)));
		assertThat(statuses(lines)).containsExactly(304, 304, 304, 200, 200, 412, 404);
		assertThat(lines.get(0).get("etag").asString()).isEqualTo(tag("a"));
		assertThat(lines.get(0).get("value")).isNull();
		assertThat(lines.get(5).get("etag").asString()).isEqualTo(tag("a"));
		assertThat(lines.get(5).get("problem").get("type").asString()).endsWith(":precondition-failed");
	}

	@Test
	void aWriteIsConditional() throws IOException {
		hold("a", "1".getBytes(UTF_8));
		String tag = tag("a").replace("\"", "\\\"");
		List<JsonNode> lines = lines(batch("""
				{"op":"put","id":"a","text":"2","ifNoneMatch":"*"}
				{"op":"put","id":"a","text":"2","ifMatch":"\\"other\\""}
				{"op":"put","id":"a","text":"2","ifMatch":"\\"other\\", TAG"}
				{"op":"delete","id":"a","ifMatch":"TAG"}
				{"op":"delete","id":"a","ifMatch":"*"}
				{"op":"put","id":"a","text":"3","ifMatch":"*"}
				{"op":"get","id":"a","consistency":"linearizable"}
				{"op":"get","id":"a","consistency":"quorum"}
				{"op":"put","id":"a","text":"3","ifNoneMatch":"*"}
				{"op":"put","id":"a","text":"4","consistency":"linearizable"}
				""".replace("TAG", tag)));
		assertThat(statuses(lines)).containsExactly(412, 412, 201, 412, 202, 412, 404, 404, 201, 201);
		assertThat(lines.get(0).get("etag").asString()).isEqualTo(tag.replace("\\", ""));
		assertThat(lines.get(0).get("problem").get("current")).isEqualTo(lines.get(0).get("etag"));
		assertThat(lines.get(3).get("etag")).isEqualTo(lines.get(2).get("etag"));
		JsonNode deletion = lines.get(4).get("etag");
		assertThat(lines.get(5).get("problem").get("current").isNull()).isTrue();
		assertThat(lines.get(5).get("etag")).isNull();
		assertThat(lines.get(5).get("version")).isEqualTo(deletion);
		assertThat(lines.get(6).get("version")).isEqualTo(deletion);
		assertThat(lines.get(7).get("version")).isNull();
		assertThat(text("a")).isEqualTo("4");
		assertThat(this.coordinator.lastCondition).isEqualTo(Condition.NONE);
		assertThat(this.coordinator.linearizableReads).hasValue(1);
	}

	@Test
	void aConditionOfAnItemConcernsAllReplicas() throws IOException {
		this.coordinator.replicationFactor = 3;
		List<JsonNode> lines = lines(post(BATCH + "?replicas=1/2", """
				{"op":"put","id":"a","text":"1"}
				{"op":"put","id":"a","text":"2","ifMatch":"*"}
				{"op":"delete","id":"a","consistency":"linearizable"}
				{"op":"get","id":"a","consistency":"linearizable"}
				{"op":"get","id":"a","ifMatch":"*"}
				""".getBytes(UTF_8)));
		assertThat(statuses(lines)).containsExactly(201, 400, 400, 400, 200);
		assertThat(lines.get(1).get("problem").get("detail").asString()).contains("concerns all 3 replicas");
		assertThat(text("a")).isEqualTo("1");
	}

	@Test
	void anItemOfAKeyThatTakesOnlyConditionsNeedsOne() throws IOException {
		List<JsonNode> lines = lines(batch("""
				{"id":"only:1","text":"1"}
				{"op":"delete","id":"only:1"}
				{"id":"only:1","text":"2","consistency":"quorum"}
				{"id":"only:1","text":"3","ifNoneMatch":"*"}
				{"op":"delete","id":"only:1","consistency":"linearizable"}
				"""));
		assertThat(statuses(lines)).containsExactly(428, 428, 428, 201, 202);
		assertThat(lines.get(0).get("problem").get("type").asString()).endsWith(":condition-required");
		assertThat(this.coordinator.calls).hasValue(2);
	}

	@Test
	void anItemThatWasDoneIsAnsweredAgain() throws IOException {
		Timestamp current = new Timestamp(0x0192f3c5a1b20000L, 7);
		String items = """
				{"id":"a","text":"1","ifNoneMatch":"*","idempotencyKey":"1"}
				{"op":"delete","id":"b","ifNoneMatch":"*","idempotencyKey":"1"}
				""";
		List<JsonNode> first = lines(batch(items));
		assertThat(statuses(first)).containsExactly(201, 202);
		assertThat(first)
			.allSatisfy((line) -> assertThat(line.propertyNames()).containsExactlyInAnyOrder("status", "etag"));
		for (Replayed replayed : List.of(new Replayed(current), new Replayed(null))) {
			this.coordinator.reset();
			this.coordinator.replayed = replayed;
			List<JsonNode> again = lines(batch(items));
			assertThat(statuses(again)).containsExactly(201, 202);
			assertThat(again).allSatisfy((line) -> {
				assertThat(line.propertyNames()).containsExactly("status", "etag", "replayed", "current");
				assertThat(line.get("replayed").asBoolean()).isTrue();
				assertThat(line.get("current").isNull()).isEqualTo(replayed.current() == null);
				assertThat(line.get("current").asString(""))
					.isEqualTo((replayed.current() != null) ? EntityTag.of(replayed.current()) : "");
			});
		}
	}

	@Test
	void anItemWhoseKeyIsThatOfAnotherOrForgottenIsRefused() throws IOException {
		Timestamp current = new Timestamp(0x0192f3c5a1b20000L, 7);
		String items = """
				{"id":"a","text":"1","ifNoneMatch":"*","idempotencyKey":"1"}
				{"op":"delete","id":"b","ifMatch":"\\"x\\"","idempotencyKey":"1"}
				""";
		this.coordinator.failure = new IdempotencyKeyReusedException();
		double reused = items("put", 422) + items("delete", 422);
		List<JsonNode> lines = lines(batch(items));
		assertThat(statuses(lines)).containsExactly(422, 422);
		assertThat(lines.getFirst().get("problem").get("type").asString()).endsWith(":idempotency-key-reused");
		assertThat(items("put", 422) + items("delete", 422) - reused).isEqualTo(2);
		this.coordinator.failure = FatedWrites.forgotten(current);
		List<JsonNode> forgotten = lines(batch(items));
		assertThat(statuses(forgotten)).containsExactly(412, 412);
		assertThat(forgotten).allSatisfy((line) -> {
			assertThat(line.get("etag").asString()).isEqualTo(EntityTag.of(current));
			assertThat(line.get("problem").get("outcome").asString()).isEqualTo("unknown");
			assertThat(line.get("problem").get("current")).isEqualTo(line.get("etag"));
		});
	}

	@Test
	void anItemAndASingleRequestWithOneKeyAreOneWrite() throws IOException {
		batch("""
				{"id":"a","text":"1","ttl":5,"contentType":"a/b","ifNoneMatch":"*","idempotencyKey":"k"}
				""");
		IdempotencyKey put = once();
		put("/v0/entity/a?ttl=5", "1".getBytes(UTF_8), "Content-Type: a/b", "If-None-Match: *", "Idempotency-Key: k");
		assertThat(once()).isEqualTo(put);
		batch("""
				{"op":"delete","id":"a","ifMatch":"\\"x\\"","idempotencyKey":"k"}
				""");
		IdempotencyKey delete = once();
		assertThat(delete.key()).isEqualTo(put.key());
		assertThat(delete.request()).isNotEqualTo(put.request());
		ask("DELETE", "/v0/entity/a", "If-Match: \"x\"", "Idempotency-Key: k");
		assertThat(once()).isEqualTo(delete);
	}

	private IdempotencyKey once() {
		return requireNonNull(requireNonNull(this.coordinator.lastCondition).once());
	}

	@Test
	void aContendedItemIsAnswered409() throws IOException {
		this.coordinator.failure = new ContendedException(3);
		assertThat(statuses(lines(batch("{\"id\":\"a\",\"text\":\"1\",\"ifNoneMatch\":\"*\"}")))).containsExactly(409);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			{"op":"put","id":"x"} | there is no value
			{"op":"put","id":"x","value":null} | there is no value
			{"op":"put","id":"x","text":"a","value":"YQ=="} | beside
			{"op":"put","id":"x","value":"a"} | base64
			{"op":"put","id":"x","value":"YQ==YQ=="} | base64
			{"op":"put","id":"x","value":"YWJj-_"} | base64
			{"op":"put","id":"x","value":"YWJj\\n"} | base64
			{"op":"put","id":"x","value":7} | is a string
			{"op":"put","id":"x","text":{"a":1}} | is a string
			{"op":"put","id":"x","text":"\\ud800"} | half of a character
			{"op":"put","id":"x","text":"\\ud800\\ud800"} | half of a character
			{"op":"put","id":"x","text":"\\udc00x"} | half of a character
			{"op":"put","id":"x","text":"\\x"} | cannot be read
			{"op":"put","id":"x","text":"\\u00"} | cannot be read
			{"op":"put","id":"x","text":"a","ttl":0} | between
			{"op":"put","id":"x","text":"a","ttl":-1} | number
			{"op":"put","id":"x","text":"a","ttl":1.5} | number
			{"op":"put","id":"x","text":"a","ttl":1e9} | between
			{"op":"put","id":"x","text":"a","ttl":1e999999999} | number
			{"op":"put","id":"x","text":"a","ttl":1e99999999999} | number
			{"op":"put","id":"x","text":"a","ttl":99999999999999999999999} | between
			{"op":"put","id":"x","text":"a","ttl":true} | number
			{"op":"put","id":"x","text":"a","ttl":[1]} | number
			{"op":"put","id":"x","text":"a","ttl":"60"} | is a string
			{"op":"put","id":"","text":"a"} | empty
			{"op":"put","id":null,"text":"a"} | missing
			{"op":"put","text":"a"} | missing
			{"id":"x"} | 'op' is missing
			{"key":"x","id":"y","text":"a"} | beside another 'id'
			{"key":"","text":"a"} | 'key' is empty
			{"key":"x","text":"a","expires":"2020-01-01T00:00:00Z"} | is past
			{"key":"x","text":"a","expires":"tomorrow"} | no instant
			{"key":"x","text":"a","expires":"+999999999-12-31T00:00:00Z"} | 10 years
			{"key":"x","text":"a","ttl":1,"expires":"2030-01-01T00:00:00Z"} | beside 'expires'
			{"op":"post","id":"x","text":"a"} | 'op' is 'post'
			{"op":"PUT","id":"x","text":"a"} | 'op' is 'PUT'
			{"op":"put","id":"x","id":"x","text":"a"} | once
			{"op":"put","id":"x","id":null,"text":"a"} | once
			{"op":"put","id":null,"id":"x","text":"a"} | once
			{"op":"put","id":"x","text":"a","tll":60} | did you mean 'ttl'
			{"op":"put","id":"x","text":"a","cas":0} | member 'cas' is unknown: an item has op, key,
			{"op":"delete","id":"x","etag":""} | a delete has no member 'etag'
			{"op":"put","id":"x","text":"a","TTL":60} | did you mean 'ttl'
			{"op":"put","id":"x","text":"a","ifmatch":"x"} | did you mean 'ifMatch'
			{"op":"put","id":"x","text":"a","if-none-match":"*"} | did you mean 'ifNoneMatch'
			{"op":"get","id":"x","text":"a"} | a get has no member 'text'
			{"op":"get","id":"x","ttl":1} | a get has no member 'ttl'
			{"op":"put","id":"x","text":"a","contentType":"html"} | 'contentType' is no media type
			{"op":"put","id":"x","text":"a","contenttype":"a/b"} | did you mean 'contentType'
			{"op":"put","id":"x","text":"a","content-type":"a/b"} | did you mean 'contentType'
			{"op":"get","id":"x","contentType":"a/b"} | a get has no member 'contentType'
			{"op":"delete","id":"x","value":"YQ=="} | a delete has no member 'value'
			[{"op":"get","id":"x"}] | no JSON object
			null | no JSON object
			"x" | no JSON object
			{ | cannot be read
			{"op" | cannot be read
			{"op":"get","id":"x" | cannot be read
			{"op":"get","id":"x}" | cannot be read
			{"op":"get","id":"x",} | cannot be read
			{"op":"get","id":'x'} | cannot be read
			{"op":"get","id":"x"} x | cannot be read
			{"op":"get","id":"x"}{"op":"get","id":"x"} | behind its object
			{"op":"get","id":"x","y":NaN} | cannot be read
			hello | no JSON object
			""")
	void aLineThatIsNoItemFailsAlone(String line, String why) throws IOException {
		List<JsonNode> lines = lines(batch("{\"op\":\"put\",\"id\":\"a\",\"text\":\"1\"}\n" + line
				+ "\n{\"op\":\"put\",\"id\":\"b\",\"text\":\"2\"}"));
		assertThat(statuses(lines)).containsExactly(201, 400, 201);
		JsonNode problem = lines.get(1).get("problem");
		assertThat(problem.get("type").asString()).isEqualTo("urn:quorate:problem:bad-request");
		assertThat(problem.get("status").asInt()).isEqualTo(400);
		assertThat(problem.get("title").asString()).isEqualTo("Bad Request");
		assertThat(problem.get("detail").asString()).contains(why);
		assertThat(this.coordinator.held(Key.of("x"))).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "60.0", "6e1", "0.6E+2", "60" })
	void aNumberMayBeWrittenAsProgramsWriteIt(String ttl) throws IOException {
		String put = "{\"op\":\"put\",\"key\":\"a\",\"text\":\"1\",\"ttl\":%s}".formatted(ttl);
		assertThat(statuses(lines(batch(put)))).containsExactly(201);
	}

	@Test
	void hostileLinesFailAlone() throws IOException {
		byte[] good = "{\"op\":\"put\",\"id\":\"a\",\"text\":\"1\"}".getBytes(UTF_8);
		String item = "\"op\":\"put\",\"id\":\"x\",\"text\":\"1\"";
		List<byte[]> hostile = List.of(("{\"z\":" + "[".repeat(100_000)).getBytes(UTF_8),
				("{\"z\":" + "{\"a\":".repeat(100_000)).getBytes(UTF_8),
				("{" + item + ",\"z\":" + "[".repeat(2000) + "]".repeat(2000) + "}").getBytes(UTF_8),
				("{" + item + ",\"z\":" + "9".repeat(50_000) + "}").getBytes(UTF_8),
				("{" + item + ",\"ttl\":" + "9".repeat(900) + "}").getBytes(UTF_8),
				("{" + item + ",\"" + "n".repeat(90_000) + "\":1}").getBytes(UTF_8),
				("{\"op\":\"put\",\"text\":\"1\",\"id\":\"" + "k".repeat(1025) + "\"}").getBytes(UTF_8),
				("{\"op\":\"" + "put".repeat(1000) + "\",\"text\":\"1\",\"id\":\"x\"}").getBytes(UTF_8),
				with("{" + item + ",\"z\":\"", 0xff, "\"}"), with("{" + item + ",\"z\":\"", 0xc0, 0x80, "\"}"),
				with("{\"op\":\"put\",\"id\":\"x\",\"text\":\"", 0xed, 0xa0, 0x80, "\"}"),
				with("{\"op\":\"put\",\"id\":\"x\",\"text\":\"", 0xc3, "\"}"),
				with("{\"op\":\"put\",\"id\":\"x\",\"text\":\"", 0x01, "\"}"), with("{", 0, "\"", 0, "\"}"),
				with("", 0xff, 0xfe, "{}"), with("{", 0xef, 0xbb, 0xbf, item + "}"), with("", 0, 0, 0, "{}"),
				("{" + item + "}").getBytes(UTF_16LE), ("{" + item + "}").getBytes(UTF_16BE));
		for (byte[] line : hostile) {
			List<JsonNode> lines = lines(post(BATCH, joined(good, line, good)));
			assertThat(statuses(lines)).as(new String(line, 0, Math.min(60, line.length), UTF_8))
				.containsExactly(201, 400, 201);
			assertThat(lines.get(1).get("problem").get("detail").asString()).hasSizeLessThan(600);
			assertThat(this.coordinator.held(Key.of("x"))).isNull();
		}
	}

	@Test
	void anyValueComesBackAsItWas() throws IOException {
		Random random = new Random(3);
		List<byte[]> values = new ArrayList<>();
		StringBuilder puts = new StringBuilder();
		StringBuilder gets = new StringBuilder();
		for (int i = 0; i < 100; i++) {
			byte[] value = new byte[random.nextInt(i % 10 == 0 ? 8000 : 200)];
			random.nextBytes(value);
			values.add(value);
			puts.append("{\"op\":\"put\",\"id\":\"k%d\",\"value\":\"%s\"}\n".formatted(i, base64(value, i)));
			gets.append("{\"op\":\"get\",\"id\":\"k%d\"}\n".formatted(i));
		}
		assertThat(statuses(lines(batch(puts.toString())))).hasSize(100).containsOnly(201);
		List<JsonNode> lines = lines(batch(gets.toString()));
		for (int i = 0; i < 100; i++) {
			assertThat(value(lines.get(i))).as("value %d", i).isEqualTo(values.get(i));
		}
	}

	/* With or without padding, and with slashes as some encoders of JSON write them. */
	private static String base64(byte[] value, int variant) {
		Base64.Encoder encoder = (variant % 2 == 0) ? Base64.getEncoder() : Base64.getEncoder().withoutPadding();
		String text = encoder.encodeToString(value);
		return (variant % 3 == 0) ? text.replace("/", "\\/") : text;
	}

	@ParameterizedTest
	@ValueSource(ints = { 48 * 1024 - 100, 48 * 1024, 48 * 1024 + 1, 300_000, 700_000 })
	void largeValuesComeBackAsTheyWere(int sizeBytes) throws IOException {
		byte[] value = new byte[sizeBytes];
		new Random(sizeBytes).nextBytes(value);
		String put = "{\"op\":\"put\",\"id\":\"a\",\"value\":\"%s\"}"
			.formatted(Base64.getEncoder().encodeToString(value));
		assertThat(statuses(lines(batch(put)))).containsExactly(201);
		String get = "{\"op\":\"get\",\"id\":\"a\"}\n";
		List<JsonNode> lines = lines(batch(get + "{\"op\":\"get\",\"id\":\"b\"}\n" + get + get));
		assertThat(statuses(lines)).containsExactly(200, 404, 200, 200);
		assertThat(value(lines.get(0))).isEqualTo(value);
		assertThat(value(lines.get(3))).isEqualTo(value);
	}

	@Test
	void anyTextIsWrittenAsItsUtf8() throws IOException {
		Random random = new Random(5);
		for (int i = 0; i < 50; i++) {
			StringBuilder text = new StringBuilder();
			random.ints(100, 0, 0x20000)
				.filter(Character::isDefined)
				.filter((c) -> c < 0xd800 || c > 0xdfff)
				.forEach(text::appendCodePoint);
			String line = (i % 2 == 0) ? JsonMapper.shared().writeValueAsString(text.toString())
					: escaped(text.toString());
			assertThat(statuses(lines(batch("{\"op\":\"put\",\"text\":" + line + ",\"id\":\"a\"}"))))
				.containsExactly(201);
			assertThat(text("a")).isEqualTo(text.toString());
		}
	}

	private static String escaped(String text) {
		StringBuilder escaped = new StringBuilder("\"");
		text.chars().forEach((c) -> escaped.append("\\u%04x".formatted(c)));
		return escaped.append('"').toString();
	}

	@ParameterizedTest
	@CsvSource({ "'',1,1", "?replicas=2/3,2,3", "?ack=1&from=2,1,2", "?from=3,2,3" })
	void theQuorumHoldsForAllItems(String query, int ack, int from) throws IOException {
		this.coordinator.replicationFactor = query.isEmpty() ? 1 : 3;
		for (String item : List.of("{\"op\":\"get\",\"id\":\"a\"}", "{\"op\":\"delete\",\"id\":\"a\"}")) {
			this.coordinator.lastConsistency = null;
			assertThat(post(BATCH + query, (item + "\n" + item).getBytes(UTF_8)).status).isEqualTo(200);
			assertThat(this.coordinator.lastConsistency).isEqualTo(new Consistency(ack, from));
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			?ack=2 | above
			?replica=1/1 | did you mean 'replicas'
			?ttl=60 | into each put
			?cas=0 | parameter 'cas' is unknown here, where there are ack, from, replicas
			?id=a | parameter 'id' is unknown
			?ack=1&ack=1 | once
			""")
	void anInvalidQueryIsRefused(String query, String wrong) throws IOException {
		assertProblem(post(BATCH + query, "{\"op\":\"get\",\"id\":\"a\"}".getBytes(UTF_8)), 400, "bad-request", wrong);
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@ParameterizedTest
	@CsvSource({ "Quorate-TTL: 60,400,bad-request", "Quorate-Timeout: x,400,bad-request", "If-Match: *,400,bad-request",
			"If-None-Match: *,400,bad-request", "If-Unmodified-Since: x,400,bad-request",
			"Origin: http://elsewhere,403,cross-origin" })
	void aFieldThatWouldBeIgnoredIsRefused(String field, int status, String problem) throws IOException {
		assertProblem(post(BATCH, "{\"op\":\"get\",\"id\":\"a\"}".getBytes(UTF_8), field), status, problem, "detail");
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@ParameterizedTest
	@ValueSource(strings = { "GET", "PUT", "DELETE", "PATCH", "HEAD" })
	void noOtherMethodWillDo(String method) throws IOException {
		try (RawConnection connection = connect()) {
			Answer answer = connection.request(method, BATCH).head();
			assertThat(answer.status).isEqualTo(405);
			assertThat(answer.headers).containsEntry("allow", "POST");
		}
	}

	@Test
	void tooManyItemsAreRefusedBeforeAnyBegins() throws IOException {
		String item = "{\"op\":\"put\",\"id\":\"a\",\"text\":\"1\"}\n\n";
		assertThat(statuses(lines(batch(item.repeat(200))))).hasSize(200).containsOnly(201);
		this.coordinator.calls.set(0);
		assertProblem(batch(item.repeat(201)), 413, "too-many-items", "quorate.api.batch.max-items, 200");
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@Test
	void aBodyAboveTheLargestValueIsRefused() throws IOException {
		byte[] body = new byte[ApiTestApplication.MAX_VALUE_BYTES + 1];
		assertProblem(post(BATCH, body), 413, "value-too-large", "quorate.storage.max-value-size");
	}

	@Test
	void theDeadlineOfAllItemsCountsFromTheEndOfTheBody() throws IOException {
		this.coordinator.writesElsewhere = true;
		this.coordinator.delay = Duration.ofSeconds(1);
		String put = "{\"op\":\"put\",\"id\":\"a\",\"text\":\"1\"}\n";
		List<JsonNode> lines = lines(post(BATCH, put.repeat(4).getBytes(UTF_8), "Quorate-Timeout: 1500"));
		assertThat(statuses(lines)).as("those of one key come one after another").startsWith(201).endsWith(503);
		assertThat(lines.getLast().get("problem").get("type").asString()).endsWith(":late");
	}

	@Test
	void anErrorIsThatOfASingleRequest() throws IOException {
		this.coordinator.failure = new QuorumNotReachedException(2, 1, true,
				List.of(new Said("n0", "ack"), new Said("n1", "silent")));
		JsonNode line = lines(batch("{\"op\":\"put\",\"id\":\"a\",\"text\":\"1\"}")).getFirst();
		assertThat(line.get("status").asInt()).isEqualTo(504);
		JsonNode single = JsonMapper.shared().readTree(put("/v0/entity?id=a", new byte[1]).text());
		assertThat(without(single, "instance")).isEqualTo(line.get("problem"));
		assertThat(line.get("problem").get("outcome").asString()).isEqualTo("unknown");
		this.coordinator.failure = new RefusedException(Why.DISK_FULL, "full");
		assertThat(statuses(lines(batch("{\"op\":\"delete\",\"id\":\"a\"}")))).containsExactly(507);
		this.coordinator.failure = new IllegalStateException("a bug");
		line = lines(batch("{\"op\":\"get\",\"id\":\"a\"}")).getFirst();
		assertThat(line.get("status").asInt()).isEqualTo(500);
		assertThat(line.toString()).doesNotContain("a bug");
	}

	private static JsonNode without(JsonNode object, String member) {
		((ObjectNode) object).remove(member);
		return object;
	}

	@Test
	void itemsAreCountedByTheirStatus() throws IOException {
		double before = items("put", 201);
		double invalid = items("invalid", 400);
		double missing = items("get", 404);
		batch("{\"op\":\"put\",\"id\":\"a\",\"text\":\"1\"}\nx\n{\"op\":\"get\",\"id\":\"b\"}\n{\"op\":\"put\",\"id\":\"b\",\"text\":\"\"}");
		assertThat(items("put", 201) - before).isEqualTo(2);
		assertThat(items("invalid", 400) - invalid).isEqualTo(1);
		assertThat(items("get", 404) - missing).isEqualTo(1);
	}

	private double items(String op, int status) {
		return this.meters.get("quorate.batch.items")
			.tag("op", op)
			.tag("status", Integer.toString(status))
			.counter()
			.count();
	}

	private Answer batch(String body) throws IOException {
		return post(BATCH, body.getBytes(UTF_8));
	}

	private static List<JsonNode> lines(Answer answer) {
		assertThat(answer.status).as(answer.text()).isEqualTo(200);
		assertThat(answer.text()).endsWith("}\n");
		return answer.text().lines().map(JsonMapper.shared()::readTree).toList();
	}

	private static List<Integer> statuses(List<JsonNode> lines) {
		return lines.stream().map((line) -> line.get("status").asInt()).toList();
	}

	private static byte[] value(JsonNode line) {
		return Base64.getDecoder().decode(line.get("value").asString());
	}

	private static byte[] with(Object... parts) {
		List<byte[]> bytes = new ArrayList<>();
		for (Object part : parts) {
			bytes.add(
					(part instanceof String text) ? text.getBytes(UTF_8) : new byte[] { ((Integer) part).byteValue() });
		}
		return concatenated(bytes);
	}

	private static byte[] joined(byte[]... lines) {
		List<byte[]> all = new ArrayList<>();
		for (byte[] line : lines) {
			all.add(line);
			all.add(new byte[] { '\n' });
		}
		return concatenated(all);
	}

	private static byte[] concatenated(List<byte[]> parts) {
		ByteArrayOutputStream all = new ByteArrayOutputStream();
		parts.forEach(all::writeBytes);
		return all.toByteArray();
	}

	private void hold(String key, byte[] value) {
		this.coordinator.hold(Key.of(key), Value.wrap(value));
	}

	private String text(String key) {
		return new String(requireNonNull(this.coordinator.held(Key.of(key))).value().array(), UTF_8);
	}

	private String tag(String key) {
		return EntityTag.of(requireNonNull(this.coordinator.held(Key.of(key))).version());
	}

}
