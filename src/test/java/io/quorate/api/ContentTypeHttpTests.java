package io.quorate.api;

import java.io.IOException;

import io.quorate.api.RawConnection.Answer;
import io.quorate.entry.ContentType;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** The content type of a value, from a request to all answers with the value. */
class ContentTypeHttpTests extends HttpTests {

	private static final String A = "/v0/entity?id=a";

	private static final byte[] VALUE = "<script>".getBytes(UTF_8);

	@ParameterizedTest
	@ValueSource(strings = { "text/plain", "application/json", "text/plain; charset=utf-8", "TEXT/Plain;a=b",
			"text/csv", "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "audio/ogg", "video/mp4",
			"application/x-ndjson", "Application/Octet-Stream" })
	void aTypeThatABrowserCannotRunIsShown(String type) throws IOException {
		Answer got = putAndGet(type);
		assertThat(got.headers).containsEntry("content-type", type)
			.containsEntry("x-content-type-options", "nosniff")
			.doesNotContainKey("content-disposition");
	}

	@ParameterizedTest
	@ValueSource(strings = { "text/html", "TEXT/HTML;charset=utf-8", "text/html ; a=b", "application/xhtml+xml",
			"image/svg+xml", "text/xml", "application/xml", "application/atom+xml", "text/javascript",
			"application/javascript", "application/pdf", "multipart/x-mixed-replace", "message/rfc822", "text/css",
			"application/x-unheard-of", "application/x-www-form-urlencoded", "text/plainer",
			"text/plain;a=\", text/html\"" })
	void allOtherTypesAreDownloads(String type) throws IOException {
		Answer got = putAndGet(type);
		assertThat(got.headers).containsEntry("content-type", type)
			.containsEntry("x-content-type-options", "nosniff")
			.containsEntry("content-disposition", "attachment");
	}

	private Answer putAndGet(String type) throws IOException {
		assertThat(put(A, VALUE, "Content-Type: " + type).status).isEqualTo(201);
		try (RawConnection connection = connect()) {
			Answer head = connection.request("HEAD", A).head();
			Answer got = connection.request("GET", A, "Accept: image/png").answer();
			assertThat(got.body).isEqualTo(VALUE);
			assertThat(head.headers.get("content-type")).isEqualTo(got.headers.get("content-type"));
			assertThat(head.headers.get("content-disposition")).isEqualTo(got.headers.get("content-disposition"));
			return got;
		}
	}

	@Test
	void aValueWithoutATypeIsAnOctetStream() throws IOException {
		put(A, VALUE, "Content-Type: text/html");
		put(A, VALUE);
		assertThat(held("a").contentType()).isNull();
		assertThat(ask("GET", A).headers).containsEntry("content-type", "application/octet-stream")
			.doesNotContainKey("content-disposition");
		put(A, VALUE, "Content-Type: application/octet-stream");
		assertThat(held("a").contentType()).as("it is the type of all values anyway").isNull();
	}

	@Test
	void theLongestTypeHas255Characters() throws IOException {
		String longest = "text/" + "x".repeat(250);
		assertThat(put(A, VALUE, "Content-Type: " + longest).status).isEqualTo(201);
		assertThat(held("a").contentType()).isEqualTo(ContentType.of(longest));
		assertThat(ask("GET", A).headers).containsEntry("content-type", longest);
		assertProblem(put(A, VALUE, "Content-Type: " + longest + "x"), 400, "bad-request",
				"header Content-Type has 256 characters: at most 255 are kept");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			nonsense
			*/*
			text/
			text/html, text/plain
			text/html; charset
			text/h\u00e4ml
			text/plain;a="\u00e4"
			""", maxCharsPerColumn = 100)
	void anotherTextIsRefusedBeforeTheBody(String type) throws IOException {
		try (RawConnection connection = connect()) {
			Answer answer = connection
				.request("PUT", A, "Content-Type: " + type, "Content-Length: 5", "Expect: 100-continue")
				.answer();
			assertProblem(answer, 400, "bad-request", "header Content-Type is no media type");
			assertThat(answer.text()).contains("text/plain; charset=utf-8").doesNotContain("nonsense");
		}
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@Test
	void twoTypesAreRefused() throws IOException {
		assertProblem(put(A, VALUE, "Content-Type: text/plain", "Content-Type: text/html"), 400, "bad-request",
				"header Content-Type must stand only once");
	}

	@Test
	void jsonLinesNameTheTypeOfAValueThatHasOne() throws IOException {
		put(A, VALUE, "Content-Type: text/plain;a=\"b\"");
		put("/v0/entity?id=b", VALUE);
		Answer answer = ask("GET", "/v0/entities?start=a", "Accept: application/x-ndjson");
		String[] lines = answer.text().split("\n", -1);
		JsonNode first = JsonMapper.shared().readTree(lines[0]);
		assertThat(first.get("key").asString()).isEqualTo("a");
		assertThat(first.get("contentType").asString()).isEqualTo("text/plain;a=\"b\"");
		assertThat(JsonMapper.shared().readTree(lines[1]).has("contentType")).isFalse();
	}

	private Entry.Live held(String key) {
		return requireNonNull(this.coordinator.held(Key.of(key)));
	}

}
