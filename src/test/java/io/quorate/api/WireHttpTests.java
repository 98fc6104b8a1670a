package io.quorate.api;

import java.io.IOException;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;

import io.quorate.api.RawConnection.Answer;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** Requests and answers as HTTP itself wants them, whatever they are about. */
class WireHttpTests extends HttpTests {

	private static final String BATCH = "{\"op\":\"get\",\"id\":\"a\"}\n{\"op\":\"get\",\"id\":\"b\"}\n";

	@ParameterizedTest
	@ValueSource(strings = { "GET /v0/entity?id=a", "HEAD /v0/entity?id=a", "GET /v0/entity?id=none",
			"PUT /v0/entity?id=b", "DELETE /v0/entity?id=b", "POST /v0/entity?id=b", "GET /v0/entities?start=a",
			"GET /v0/entities?start=a&keys=true", "POST /v0/batch", "GET /v0/consistency", "GET /", "GET /v0/docs",
			"GET /v0/openapi.yaml", "GET /nothing", "GET /actuator/health", "GET /actuator/prometheus",
			"GET /actuator/nothing", "GET nothing", "GET /v0/entity?id=%zz" })
	void everyAnswerHasTheDateAndCannotBeEmbedded(String line) throws IOException {
		hold("a", "v");
		requireFields(line + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
	}

	@ParameterizedTest
	@ValueSource(strings = { "GET", "GET / HTTP/1.1\r\nNo colon\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n",
			"GET /v0/entity?id=a HTTP/1.0\r\n\r\n" })
	void aRefusalThatNoHandlerHasSeenHasThem(String request) throws IOException {
		requireFields(request.endsWith("\r\n") ? request : request + "\r\n\r\n");
	}

	private void requireFields(String request) throws IOException {
		try (RawConnection connection = connect()) {
			Answer head = connection.send(request).head();
			assertThat(head.headers).containsEntry("cross-origin-resource-policy", "same-origin");
			String date = head.headers.get("date");
			assertThat(date).matches("\\w{3}, \\d\\d \\w{3} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT");
			assertThat(ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME))
				.isCloseTo(ZonedDateTime.now(ZoneOffset.UTC), within(Duration.ofMinutes(1)));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "HTTP/1.2", "HTTP/1.9" })
	void aLaterMinorVersionIsAnsweredInOurs(String version) throws IOException {
		hold("a", "v");
		for (String target : List.of("/v0/entity?id=a", "/v0/entities?start=a", "/v0/entity?id=none")) {
			try (RawConnection connection = connect()) {
				for (int i = 0; i < 2; i++) {
					connection.send("GET " + target + " " + version + "\r\nHost: localhost\r\n\r\n");
					assertThat(connection.answer().version).isEqualTo("HTTP/1.1");
				}
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "HTTP/2.0", "HTTP/3.0", "HTTP/0.9", "HTTP/9.1" })
	void anotherMajorVersionIsRefused(String version) throws IOException {
		hold("a", "v");
		try (RawConnection connection = connect()) {
			Answer answer = connection.send("GET /v0/entity?id=a " + version + "\r\nHost: localhost\r\n\r\n").answer();
			assertThat(answer.version).isEqualTo("HTTP/1.1");
			assertProblem(answer, 400, "bad-request", "HTTP/1.1");
			assertThat(connection.isAtEnd()).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "Connection: keep-alive\r\n" })
	void aRangeForAClientOfHttp10EndsWithTheConnection(String field) throws IOException {
		for (int i = 0; i < 2000; i++) {
			hold("a%04d".formatted(i), "v".repeat(500));
		}
		try (RawConnection connection = connect()) {
			Answer head = connection.send("GET /v0/entities?start=a HTTP/1.0\r\n" + field + "\r\n").head();
			assertThat(head.status).isEqualTo(200);
			assertThat(head.headers).doesNotContainKeys("transfer-encoding", "content-length");
			assertThat(connection.rest()).startsWith("{\"key\":\"a0000\"")
				.endsWith("\n{\"last\":true,\"records\":2000}\n");
		}
	}

	@Test
	void otherStreamsForAClientOfHttp10EndWithTheConnection() throws IOException {
		hold("a", "v");
		assertThat(bodyForHttp10("GET /v0/entities?start=a", "Accept: application/json")).endsWith("\n]}\n");
		assertThat(bodyForHttp10("GET /v0/entities?start=x", "")).isEqualTo("{\"last\":true,\"records\":0}\n");
		assertThat(bodyForHttp10("POST /v0/batch", "Content-Length: " + BATCH.length() + "\r\n\r\n" + BATCH).lines())
			.hasSize(2);
		assertThat(bodyForHttp10("POST /v0/batch", "Content-Length: 0")).isEmpty();
		assertThat(bodyForHttp10("GET /v0/entity?id=a", "")).isEqualTo("v");
	}

	private String bodyForHttp10(String line, String more) throws IOException {
		try (RawConnection connection = connect()) {
			Answer head = connection.send(line + " HTTP/1.0\r\n" + more + "\r\n\r\n").head();
			assertThat(head.status).isEqualTo(200);
			assertThat(head.headers).doesNotContainKey("transfer-encoding");
			return connection.rest();
		}
	}

	@Test
	void aClientOfHttp10GetsNoChunksThatItCannotTellApart() throws IOException {
		hold("a", "v");
		try (RawConnection connection = connect()) {
			connection.send("GET /v0/entities?start=a HTTP/1.0\r\nAccept: application/octet-stream\r\n\r\n");
			assertProblem(connection.answer(), 400, "bad-request", "need HTTP/1.1");
		}
	}

	@ParameterizedTest
	@CsvSource({ "cross-site, /v0/entity?id=a, image, 403", "same-site, /v0/entities?start=a, empty, 403",
			"cross-site, /actuator/prometheus, script, 403", "cross-site, /v0/entity?id=a, document, 403",
			"unheard-of, /v0/entity?id=a, empty, 403", "same-origin, /v0/entity?id=a, empty, 200",
			"none, /v0/entity?id=a, document, 200", "cross-site, /, document, 200",
			"cross-site, /v0/docs, document, 200", "cross-site, /v0/docs, iframe, 403" })
	void aPageOfAnotherSiteReachesNothingButPages(String site, String target, String destination, int status)
			throws IOException {
		hold("a", "v");
		Answer answer = ask("GET", target, "Sec-Fetch-Site: " + site, "Sec-Fetch-Dest: " + destination);
		assertThat(answer.status).as(answer.text()).isEqualTo(status);
		if (status == 403) {
			assertProblem(answer, 403, "cross-origin", "a page of another origin");
		}
	}

	private void hold(String key, String value) {
		this.coordinator.hold(Key.of(key), Value.wrap(value.getBytes(UTF_8)));
	}

}
