package io.quorate.api.batch;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

import io.quorate.api.problem.ProblemException;
import io.quorate.api.request.RawQuery;
import io.quorate.clock.TimeSource;
import io.quorate.entry.Condition.Versions;
import io.quorate.entry.Condition;
import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Lines of batches, changed at random, and read beside a parser that takes its time: the
 * reader takes no line that is no JSON, and reads the others as that parser does.
 */
class BatchItemReaderTests {

	private static final JsonMapper STRICT = JsonMapper.builder()
		.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
		.enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
		.build();

	private static final List<String> LINES = List.of("{\"op\":\"put\",\"id\":\"k\",\"text\":\"v\"}",
			"{\"key\":\"k\",\"value\":\"AAEC\",\"etag\":\"\\\"1\\\"\"}",
			"{\"op\":\"put\",\"id\":\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\ud83d\\ude00\",\"text\":\"ä😀\\u0000 x\"}",
			"{ \"value\" : \"AAECAwQFBgcICQ==\" ,\"ttl\":60, \"id\":\"ключ\",\"op\":\"put\", \"contentType\":\"a/b\"}",
			"{\"text\":null,\"op\":\"get\",\"id\":\"k\",\"ifNoneMatch\":\"\\\"x\\\"\"}",
			"{\"id\":\"k\",\"op\":\"delete\",\"value\":null}", "{\"op\":\"touch\",\"ttl\":60,\"key\":\"k\"}",
			"{\"id\":\"k\",\"text\":\"v\",\"ifMatch\":\"\\\"x\\\"\",\"consistency\":\"linearizable\"}");

	private static final byte[] PIECES = "\"\\{}[]:,u0dDeE8 \t\r-+.n\u0000\u001f/=_é\ud83d\ude00".getBytes(UTF_8);

	@Test
	void itReadsWhatAnotherParserReads() {
		Random random = new Random(11);
		int items = 0;
		for (int i = 0; i < 200_000; i++) {
			byte[] line = LINES.get(random.nextInt(LINES.size())).getBytes(UTF_8);
			for (int change = random.nextInt(4); change > 0; change--) {
				line = changed(line, random);
			}
			boolean isOneLine = shown(line).indexOf('\n') < 0;
			items += (isOneLine && isReadRight(line)) ? 1 : 0;
		}
		assertThat(items).as("lines that are items, changed or not").isBetween(50_000, 150_000);
	}

	@Test
	void aLineThatIsNestedTooDeeplyIsRefusedInWordsOfTheApi() {
		String line = "{\"op\":\"get\",\"id\":\"k\",\"ttl\":" + "[".repeat(5000) + "]".repeat(5000) + "}";
		BatchLines lines = BatchLines.of(line.getBytes(UTF_8), 10);
		assertThatExceptionOfType(ProblemException.class)
			.isThrownBy(() -> new BatchItemReader(lines, Runnable::run, TimeSource.SYSTEM).read(0))
			.withMessage("the line cannot be read: its object is nested too deeply, or has too long a name or number");
	}

	@Test
	void theFirstUnknownMemberEndsTheReading() {
		String item = "{\"op\":\"get\",\"id\":\"k\",\"" + "x".repeat(40) + "\":1,no JSON";
		assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> read(item))
			.withMessage(
					"member '%s...' is unknown: an item has op, key, id, value, text, ttl, expires, etag, contentType, "
							+ "ifMatch, ifNoneMatch, consistency, idempotencyKey",
					"x".repeat(32));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			"key":"a" | a
			"id":"a" | a
			"key":"a","id":"\\u0061" | a
			"key":null,"id":"a" | a
			"key":"a","id":null | a
			"key":"a","id":"b" | member 'key' stands beside another 'id': send one of them
			"key":5,"id":"a" | member 'key' is 5: it is a string
			"key":"a","id":[] | member 'id' is [: it is a string
			"key":"","id":"a" | member 'key' is empty: a key has 1 to 1024 bytes
			"key":null | member 'key' is missing: it is a key of 1 to 1024 bytes
			"text":null | member 'key' is missing: it is a key of 1 to 1024 bytes
			""")
	void theKeyIsOneAndTheSameByBothOfItsNames(String members, String outcome) {
		String line = "{\"op\":\"get\",%s}".formatted(members);
		if (outcome.startsWith("member")) {
			assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> read(line)).withMessage(outcome);
		}
		else {
			assertThat(read(line).key()).isEqualTo(Key.of(outcome));
		}
	}

	@Test
	void anExpiryIsMeasuredByTheClockOfTheNode() {
		String line = "{\"key\":\"k\",\"text\":\"v\",\"expires\":\"2001-02-03T04:05:06.250Z\"}";
		long now = Instant.parse("2001-02-03T04:05:06Z").toEpochMilli();
		BatchLines lines = BatchLines.of(line.getBytes(UTF_8), 1);
		BatchItem.Put put = (BatchItem.Put) new BatchItemReader(lines, Runnable::run, () -> now).read(0);
		assertThat(put.ttl()).hasMillis(250);
	}

	@ParameterizedTest
	@ValueSource(strings = { "op", "contentType", "ifMatch", "ifNoneMatch", "consistency" })
	void onlyValuesAreLong(String member) {
		String item = "{\"op\":\"get\",\"id\":\"k\",\"" + member + "\":\"" + "\\\"a\\\",".repeat(10_000) + "\"}";
		String line = member.equals("op") ? item.replace("\"op\":\"get\",", "")
				: member.equals("contentType") ? item.replace("get", "put").replace("}", ",\"text\":\"\"}") : item;
		assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> read(line))
			.withMessageContaining("member '%s' has 40000 bytes: it may have 16384", member);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			"ifMatch":null              | member 'ifMatch' is null
			"ifMatch":""                | member 'ifMatch' is neither
			"ifMatch":"x"               | member 'ifMatch' is neither
			"ifMatch":"*, *"            | member 'ifMatch' is neither
			"ifMatch":["*"]             | member 'ifMatch' is [: it is a string
			"ifMatch":false             | member 'ifMatch' is false: it is a string
			"ifNoneMatch":null          | member 'ifNoneMatch' is null
			"ifNoneMatch":" "           | member 'ifNoneMatch' is neither
			"ifNoneMatch":"\\"x\\"\\n" | member 'ifNoneMatch' is neither
			"ifNoneMatch":"\\"\\u20ac\\"" | member 'ifNoneMatch' is neither
			"consistency":null          | member 'consistency' is null
			"consistency":""            | member 'consistency' is neither quorum nor
			"consistency":"LINEARIZABLE" | member 'consistency' is neither quorum nor
			"consistency":1             | member 'consistency' is 1: it is a string
			""")
	void aConditionThatIsNotUnderstoodIsNotDropped(String member, String detail) {
		for (String op : List.of("get", "delete", "put")) {
			String line = "{\"op\":\"%s\",\"id\":\"k\",%s%s}".formatted(op, op.equals("put") ? "\"text\":\"\"," : "",
					member);
			assertThatExceptionOfType(ProblemException.class).as(line)
				.isThrownBy(() -> read(line))
				.withMessageStartingWith(detail);
		}
	}

	@Test
	void aWriteHasItsCondition() {
		assertThat(((BatchItem.Delete) read("{\"op\":\"delete\",\"id\":\"k\"}")).condition()).isNull();
		assertThat(((BatchItem.Delete) read("{\"op\":\"delete\",\"id\":\"k\",\"consistency\":\"quorum\"}")).condition())
			.isNull();
		assertThat(((BatchItem.Put) read("{\"id\":\"k\",\"text\":\"\",\"consistency\":\"linearizable\"}")).condition())
			.isEqualTo(Condition.NONE);
		assertThat(((BatchItem.Put) read("{\"id\":\"k\",\"text\":\"\",\"ifNoneMatch\":\"\\u002a\"}")).condition())
			.isEqualTo(Condition.ABSENT);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			null                                     | member 'idempotencyKey' is null
			""                                       | member 'idempotencyKey' is one word of 1 to 64
			"a b"                                    | member 'idempotencyKey' is one word
			"\\u00e4"                                 | member 'idempotencyKey' is one word
			5                                        | member 'idempotencyKey' is 5: it is a string
			"a","ifNoneMatch":null                   | member 'ifNoneMatch' is null
			"a"                                      | member 'idempotencyKey' stands beside If-Match with versions
			"a","consistency":"linearizable"         | member 'idempotencyKey' stands beside If-Match with versions
			"a","ifMatch":"*"                        | member 'idempotencyKey' stands beside If-Match with versions
			"a","ifNoneMatch":"\\"x\\""              | member 'idempotencyKey' stands beside If-Match with versions
			""")
	void anIdempotencyKeyIsOneWordBesideACondition(String key, String detail) {
		for (String op : List.of("\"op\":\"delete\"", "\"text\":\"\"")) {
			assertThatExceptionOfType(ProblemException.class).as(op)
				.isThrownBy(() -> read("{%s,\"key\":\"k\",\"idempotencyKey\":%s}".formatted(op, key)))
				.withMessageStartingWith(detail);
		}
	}

	@Test
	void anIdempotencyKeyIsOfAWriteThatIsTheSameWhenItIsRepeated() {
		String key = "\"key\":\"k\",\"ifNoneMatch\":\"*\",\"idempotencyKey\":\"%s\"".formatted("x".repeat(64));
		assertThat(((BatchItem.Put) read("{\"text\":\"\",\"ttl\":5,%s}".formatted(key))).once())
			.isEqualTo("x".repeat(64));
		assertThat(((BatchItem.Delete) read("{\"op\":\"delete\",%s}".formatted(key))).once()).isEqualTo("x".repeat(64));
		assertThatExceptionOfType(ProblemException.class)
			.isThrownBy(() -> read("{\"text\":\"\",%s}".formatted(key.replace("xx\"", "xxx\""))))
			.withMessageContaining("1 to 64");
		assertThatExceptionOfType(ProblemException.class)
			.isThrownBy(() -> read("{\"text\":\"\",\"expires\":\"2030-01-01T00:00:00Z\",%s}".formatted(key)))
			.withMessageContaining("stands beside 'expires'");
		for (String op : List.of("get", "touch")) {
			assertThatExceptionOfType(ProblemException.class)
				.isThrownBy(() -> read("{\"op\":\"%s\",\"key\":\"k\",\"idempotencyKey\":\"a\"}".formatted(op)))
				.withMessage("a %s has no member 'idempotencyKey'", op);
		}
	}

	@Test
	void aTouchIsOfAnyValueOrOfVersions() {
		assertThat(read("{\"op\":\"touch\",\"key\":\"k\",\"ttl\":60,\"text\":null}"))
			.isEqualTo(new BatchItem.Touch(Key.of("k"), Duration.ofSeconds(60), new Condition(Versions.ANY, null)));
		String weak = "W/\\\"0192f3c5a1b20000-00000007\\\"";
		assertThat(read("{\"op\":\"touch\",\"key\":\"k\",\"ttl\":60,\"ifMatch\":\"%s\"}".formatted(weak))).isEqualTo(
				new BatchItem.Touch(Key.of("k"), Duration.ofSeconds(60), new Condition(Versions.of(List.of()), null)));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			"ttl":null                        | a touch renews the time to live: name it by member 'ttl'
			"ttl":"keep"                      | a touch renews the time to live
			"ttl":"60"                        | a touch renews the time to live
			"ttl":0                           | member 'ttl' is 0: it must be between
			"ttl":[]                          | member 'ttl'
			"expires":"2030-01-01T00:00:00Z"  | a touch has no member 'expires'
			"ttl":6,"text":""                 | a touch has no member 'text'
			"ttl":6,"value":""                | a touch has no member 'value'
			"ttl":6,"contentType":"a/b"       | a touch has no member 'contentType'
			"ttl":6,"etag":""                 | a touch has no member 'etag'
			"ttl":6,"ifNoneMatch":"*"         | a touch has no member 'ifNoneMatch'
			"ttl":6,"ifMatch":null            | member 'ifMatch' is null
			"ttl":6,"ifMatch":"x"             | member 'ifMatch' is neither
			"ttl":6,"consistency":"strong"    | member 'consistency' is neither
			""")
	void aTouchThatSaysSomethingElseIsRefused(String members, String detail) {
		assertThatExceptionOfType(ProblemException.class)
			.isThrownBy(() -> read("{\"op\":\"touch\",\"key\":\"k\",%s}".formatted(members)))
			.withMessageStartingWith(detail);
	}

	private static BatchItem read(String line) {
		return new BatchItemReader(BatchLines.of(line.getBytes(UTF_8), 1), Runnable::run, TimeSource.SYSTEM).read(0);
	}

	private static boolean isReadRight(byte[] line) {
		JsonNode expected = parsed(line);
		byte[] body = padded(line);
		BatchLines lines = BatchLines.of(body, 10);
		for (int i = 0; i < lines.count(); i++) {
			try {
				BatchItem item = new BatchItemReader(lines, Runnable::run, TimeSource.SYSTEM).read(i);
				assertThat(lines.count()).as(shown(line)).isEqualTo(3);
				assertThat(i).isEqualTo(1);
				requireSame(item, expected, line);
				return true;
			}
			catch (ProblemException refused) {
				assertThat(refused.problem().status()).isEqualTo(400);
			}
		}
		return false;
	}

	/* Between two others, so that it is at neither end of the array. */
	private static byte[] padded(byte[] line) {
		return ByteBuffer.allocate(line.length + 4)
			.put((byte) 'x')
			.put((byte) '\n')
			.put(line)
			.put((byte) '\n')
			.put((byte) 'y')
			.array();
	}

	private static void requireSame(BatchItem item, @Nullable JsonNode expected, byte[] line) {
		assertThat(expected).as(shown(line)).isNotNull();
		if (expected != null) {
			JsonNode key = expected.path("id").isString() ? expected.get("id") : expected.get("key");
			assertThat(item.key().array()).as(shown(line)).isEqualTo(key.asString().getBytes(UTF_8));
			assertThat(item.operation().word()).isEqualTo(expected.path("op").asString("put"));
			if (item instanceof BatchItem.Put put) {
				JsonNode text = expected.get("text");
				byte[] value = (text != null && text.isString()) ? text.asString().getBytes(UTF_8)
						: decoded(expected.get("value").asString());
				if (value != null) {
					assertThat(put.value().value().array()).as(shown(line)).isEqualTo(value);
				}
			}
		}
	}

	private static byte @Nullable [] decoded(String base64) {
		try {
			return Base64.getDecoder().decode(base64);
		}
		catch (IllegalArgumentException refusedLater) {
			return null;
		}
	}

	private static @Nullable JsonNode parsed(byte[] line) {
		try {
			String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString();
			JsonNode node = STRICT.readTree(text);
			return node.isObject() ? node : null;
		}
		catch (CharacterCodingException | JacksonException noJson) {
			return null;
		}
	}

	private static byte[] changed(byte[] line, Random random) {
		int at = random.nextInt(line.length);
		byte piece = (random.nextInt(8) == 0) ? (byte) random.nextInt() : PIECES[random.nextInt(PIECES.length)];
		return switch (random.nextInt(4)) {
			case 0 -> joined(Arrays.copyOf(line, at), Arrays.copyOfRange(line, at + 1, line.length));
			case 1 -> joined(Arrays.copyOf(line, at), new byte[] { piece }, Arrays.copyOfRange(line, at, line.length));
			case 2 ->
				joined(Arrays.copyOf(line, at), new byte[] { piece }, Arrays.copyOfRange(line, at + 1, line.length));
			default -> {
				int from = random.nextInt(line.length);
				int to = Math.min(line.length, from + random.nextInt(8));
				yield joined(Arrays.copyOf(line, at), Arrays.copyOfRange(line, from, to),
						Arrays.copyOfRange(line, at, line.length));
			}
		};
	}

	private static byte[] joined(byte[]... parts) {
		int size = Arrays.stream(parts).mapToInt((part) -> part.length).sum();
		ByteBuffer all = ByteBuffer.allocate(Math.max(size, 1));
		Arrays.stream(parts).forEach(all::put);
		return all.array();
	}

	private static String shown(byte[] line) {
		return new String(line, UTF_8);
	}

	@ParameterizedTest
	@ValueSource(strings = { "UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE" })
	void noOtherEncodingIsRead(String encoding) {
		byte[] line = LINES.getFirst().getBytes(Charset.forName(encoding));
		BatchItemReader reader = new BatchItemReader(BatchLines.of(line, 1), Runnable::run, TimeSource.SYSTEM);
		assertThatExceptionOfType(ProblemException.class).isThrownBy(() -> reader.read(0))
			.withMessageContaining("no JSON object");
	}

	@Test
	void aMemberIsMeantByAtMostOneOther() {
		Set<String> known = new HashSet<>(BatchMember.words());
		for (String word : BatchMember.words()) {
			assertThat(BatchMember.of(word)).isNotNull();
			known.remove(word);
			assertThat(RawQuery.meant(word, known)).as("would %s be taken for another member", word).isNull();
			known.add(word);
		}
	}

}
