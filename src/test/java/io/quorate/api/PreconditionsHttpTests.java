package io.quorate.api;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Random;

import io.quorate.api.RawConnection.Answer;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

class PreconditionsHttpTests extends HttpTests {

	private static final String A = "/v0/entity?id=a";

	private static final byte[] VALUE = "0123456789".getBytes(UTF_8);

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			If-None-Match | TAG                       | 304
			If-None-Match | "x", TAG                  | 304
			If-None-Match | "x" , W/TAG               | 304
			If-None-Match | *                         | 304
			If-None-Match | "x"                       | 200
			If-None-Match | W/"x"                     | 200
			If-Match      | TAG                       | 200
			If-Match      | "x", TAG                  | 200
			If-Match      | *                         | 200
			If-Match      | "x"                       | 412
			If-Match      | W/TAG                     | 412
			If-Modified-Since   | MODIFIED            | 304
			If-Modified-Since   | LATER               | 304
			If-Modified-Since   | EARLIER             | 200
			If-Modified-Since   | nonsense            | 200
			If-Unmodified-Since | MODIFIED            | 200
			If-Unmodified-Since | LATER               | 200
			If-Unmodified-Since | EARLIER             | 412
			If-Unmodified-Since | nonsense            | 200
			""")
	void readsEvaluateTheirPreconditions(String field, String text, int status) throws IOException {
		put(A, VALUE);
		Answer plain = ask("GET", A);
		String condition = field.trim() + ": " + filled(text, plain);
		Answer answer = ask("GET", A, condition);
		assertThat(answer.status).as(condition).isEqualTo(status);
		if (status == 304) {
			assertThat(answer.body).isEmpty();
			assertThat(answer.headers).containsEntry("etag", plain.headers.get("etag"))
				.containsEntry("last-modified", plain.headers.get("last-modified"))
				.doesNotContainKeys("content-type", "content-range");
		}
		if (status == 412) {
			assertThat(answer.text()).contains("urn:quorate:problem:precondition-failed", field.trim());
			assertThat(answer.headers).containsEntry("cache-control", "no-store, no-transform")
				.containsEntry("etag", plain.headers.get("etag"));
		}
		try (RawConnection connection = connect()) {
			Answer head = connection.request("HEAD", A, condition).head();
			assertThat(head.status).isEqualTo(status);
			assertThat(head.headers).containsKey("content-length").doesNotContainKey("transfer-encoding");
			assertThat(connection.request("GET", A).answer().body).as("the next answer").isEqualTo(VALUE);
		}
	}

	private static String filled(String text, Answer plain) {
		String modified = requireNonNull(plain.headers.get("last-modified"));
		DateTimeFormatter format = DateTimeFormatter.RFC_1123_DATE_TIME;
		Instant instant = Instant.from(format.parse(modified));
		return text.replace("TAG", requireNonNull(plain.headers.get("etag")))
			.replace("MODIFIED", modified)
			.replace("LATER", format.format(instant.plusSeconds(1).atOffset(ZoneOffset.UTC)))
			.replace("EARLIER", format.format(instant.minusSeconds(1).atOffset(ZoneOffset.UTC)));
	}

	@Test
	void entityTagsComeBeforeDates() throws IOException {
		put(A, VALUE);
		Answer plain = ask("GET", A);
		String tag = requireNonNull(plain.headers.get("etag"));
		assertThat(ask("GET", A, "If-None-Match: \"x\"", "If-Modified-Since: " + filled("LATER", plain)).status)
			.isEqualTo(200);
		assertThat(ask("GET", A, "If-Match: " + tag, "If-Unmodified-Since: " + filled("EARLIER", plain)).status)
			.isEqualTo(200);
		assertThat(ask("GET", A, "If-Match: " + tag, "If-None-Match: " + tag).status).isEqualTo(304);
	}

	@Test
	void aValueThatIsCarriedOnKeepsItsVersion() throws IOException {
		Entry written = new Entry.Live(Timestamp.ofMillis(1_700_000_000_000L), 1, Entry.NEVER, Value.wrap(VALUE));
		this.coordinator.hold(Key.of("a"), (Entry.Live) written.at(Timestamp.ofMillis(1_700_000_009_000L)));
		Answer answer = ask("GET", A);
		String tag = '"' + written.timestamp().toString() + '"';
		assertThat(answer.headers).containsEntry("etag", tag)
			.containsEntry("last-modified", "Tue, 14 Nov 2023 22:13:20 GMT");
		assertThat(ask("GET", A, "If-None-Match: " + tag).status).isEqualTo(304);
		assertThat(ask("GET", A, "If-Match: " + tag).status).isEqualTo(200);
		assertThat(ask("GET", A, "If-Modified-Since: Tue, 14 Nov 2023 22:13:20 GMT").status).isEqualTo(304);
		assertThat(ask("GET", A, "Range: bytes=0-1", "If-Range: " + tag).status).isEqualTo(206);
	}

	@Test
	void anAbsentValueIs404WhateverTheCondition() throws IOException {
		assertThat(ask("GET", A, "If-Match: *").status).isEqualTo(404);
		assertThat(ask("GET", A, "If-None-Match: *").status).isEqualTo(404);
		assertThat(ask("GET", A, "Range: bytes=0-").status).isEqualTo(404);
	}

	@ParameterizedTest
	@CsvSource({ "0-0, 0, 0", "0-, 0, 9", "2-4, 2, 4", "5-99, 5, 9", "-3, 7, 9", "-99, 0, 9", "9-, 9, 9" })
	void aRangeOfTheValueIsSent(String range, int first, int last) throws IOException {
		put(A, VALUE);
		Answer answer = ask("GET", A, "Range: bytes=" + range);
		assertThat(answer.status).isEqualTo(206);
		assertThat(answer.body).isEqualTo(Arrays.copyOfRange(VALUE, first, last + 1));
		assertThat(answer.headers).containsEntry("content-range", "bytes %d-%d/10".formatted(first, last))
			.containsEntry("content-length", "" + (last - first + 1))
			.containsEntry("accept-ranges", "bytes")
			.containsKey("etag");
	}

	@Test
	void aPartOfAValueDoesNotReplaceTheWhole() throws IOException {
		put(A, VALUE);
		assertProblem(put(A, new byte[2], "Content-Range: bytes 0-1/10"), 400, "bad-request",
				"Content-Range says that the body is a part of a value");
		assertThat(ask("GET", A).body).isEqualTo(VALUE);
	}

	@Test
	void theUnitOfARangeMayHaveCapitals() throws IOException {
		put(A, VALUE);
		Answer answer = ask("GET", A, "Range: Bytes=2-4");
		assertThat(answer.status).isEqualTo(206);
		assertThat(answer.body).isEqualTo(Arrays.copyOfRange(VALUE, 2, 5));
	}

	@ParameterizedTest
	@ValueSource(strings = { "bytes=10-", "bytes=99-100" })
	void aRangeBehindTheValueCannotBeSatisfied(String range) throws IOException {
		put(A, VALUE);
		Answer answer = ask("GET", A, "Range: " + range);
		assertProblem(answer, 416, "range-not-satisfiable", "10 bytes");
		assertThat(answer.headers).containsEntry("content-range", "bytes */10");
		put(A, new byte[0]);
		assertThat(ask("GET", A, "Range: bytes=0-").status).isEqualTo(416);
		assertThat(ask("GET", A, "Range: bytes=-1").status).isEqualTo(416);
	}

	@ParameterizedTest
	@ValueSource(strings = { "bytes=0-1,4-5", "lines=0-1", "bytes=", "bytes=5-2", "bytes=a-b", "nonsense" })
	void otherRangesAskForTheWholeValue(String range) throws IOException {
		put(A, VALUE);
		Answer answer = ask("GET", A, "Range: " + range);
		assertThat(answer.status).isEqualTo(200);
		assertThat(answer.body).isEqualTo(VALUE);
	}

	@Test
	void ifRangeDecidesWhetherAPartIsSent() throws IOException {
		put(A, VALUE);
		Answer plain = ask("GET", A);
		String tag = requireNonNull(plain.headers.get("etag"));
		assertThat(ask("GET", A, "Range: bytes=0-1", "If-Range: " + tag).status).isEqualTo(206);
		assertThat(ask("GET", A, "Range: bytes=0-1", "If-Range: W/" + tag).status).isEqualTo(200);
		assertThat(ask("GET", A, "Range: bytes=0-1", "If-Range: \"x\"").status).isEqualTo(200);
		assertThat(ask("GET", A, "Range: bytes=0-1", "If-Range: " + filled("MODIFIED", plain)).status).isEqualTo(200);
		assertThat(ask("GET", A, "Range: bytes=0-1", "If-None-Match: " + tag).status).isEqualTo(304);
	}

	@Test
	void partsOfALargeValueAreExact() throws IOException {
		byte[] value = new byte[300_000];
		new Random(1).nextBytes(value);
		put(A, value);
		assertThat(ask("GET", A, "Range: bytes=65535-200001").body)
			.isEqualTo(Arrays.copyOfRange(value, 65535, 200_002));
		assertThat(ask("GET", A, "Range: bytes=-70000").body).isEqualTo(Arrays.copyOfRange(value, 230_000, 300_000));
	}

}
