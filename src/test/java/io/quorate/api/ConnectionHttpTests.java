package io.quorate.api;

import java.io.IOException;
import java.util.Arrays;
import java.util.stream.IntStream;

import io.quorate.api.RawConnection.Answer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

class ConnectionHttpTests extends HttpTests {

	@Autowired
	private ApplicationContext context;

	@AfterEach
	void stay() {
		AvailabilityChangeEvent.publish(this.context, ReadinessState.ACCEPTING_TRAFFIC);
	}

	@Test
	void aConnectionServesOneRequestAfterTheOther() throws IOException {
		try (RawConnection connection = connect()) {
			for (int i = 0; i < 50; i++) {
				String target = "/v0/entity?id=k" + i;
				assertThat(connection.request("PUT", target, "Content-Length: 1").send("v").answer().status)
					.isEqualTo(201);
				assertThat(connection.request("GET", target).answer().text()).isEqualTo("v");
				assertThat(connection.request("DELETE", target).answer().status).isEqualTo(202);
				assertThat(connection.request("GET", target).answer().status).isEqualTo(404);
			}
		}
	}

	@Test
	void pipelinedRequestsAreAnsweredInTheirOrder() throws IOException {
		StringBuilder requests = new StringBuilder();
		for (int i = 0; i < 20; i++) {
			String value = "value-" + i;
			requests.append("PUT /v0/entity?id=k%d HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
				.formatted(i, value.length(), value));
		}
		for (int i = 0; i < 20; i++) {
			requests.append("GET /v0/entity?id=k%d HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(i));
			requests.append("GET /v0/entity?id=%zz HTTP/1.1\r\nHost: localhost\r\n\r\n");
			requests.append(
					"GET /v0/entities?start=k%d&limit=1 HTTP/1.1\r\nHost: localhost\r\nAccept: application/octet-stream\r\n\r\n"
						.formatted(i));
		}
		try (RawConnection connection = connect()) {
			connection.send(requests.toString());
			for (int i = 0; i < 20; i++) {
				assertThat(connection.answer().status).isEqualTo(201);
			}
			for (int i = 0; i < 20; i++) {
				assertThat(connection.answer().text()).isEqualTo("value-" + i);
				assertThat(connection.answer().status).isEqualTo(400);
				assertThat(connection.answer().text()).isEqualTo("k" + i + "\nvalue-" + i);
			}
		}
	}

	@Test
	void aRequestPipelinedBeforeConnectionCloseIsAnswered() throws IOException {
		String put = "PUT /v0/entity?id=a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nv";
		String get = "GET /v0/entity?id=a HTTP/1.1\r\nHost: localhost\r\n";
		this.coordinator.writesElsewhere = true;
		try (RawConnection connection = connect()) {
			connection.send(put + get + "\r\n" + get + "Connection: close\r\n\r\n" + put);
			assertThat(connection.answer().status).isEqualTo(201);
			Answer second = connection.answer();
			assertThat(second.text()).isEqualTo("v");
			assertThat(second.headers).doesNotContainKey("connection");
			Answer third = connection.answer();
			assertThat(third.text()).isEqualTo("v");
			assertThat(third.headers).containsEntry("connection", "close");
			assertThat(connection.isAtEnd()).isTrue();
		}
	}

	@Test
	void anAnswerOfANodeThatIsAboutToStopClosesItsConnection() throws IOException {
		String get = "GET /v0/entity?id=a HTTP/1.1\r\nHost: localhost\r\n\r\n";
		try (RawConnection connection = connect()) {
			assertThat(connection.send(get).answer().headers).doesNotContainKey("connection");
			AvailabilityChangeEvent.publish(this.context, ReadinessState.REFUSING_TRAFFIC);
			Answer answer = connection.send(get).answer();
			assertThat(answer.status).isEqualTo(404);
			assertThat(answer.headers).containsEntry("connection", "close");
			assertThat(connection.isAtEnd()).isTrue();
		}
	}

	@Test
	void aStoppingNodeAnswersPipelinedRequests() throws IOException {
		String put = "PUT /v0/entity?id=a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nv";
		String get = "GET /v0/entity?id=a HTTP/1.1\r\nHost: localhost\r\n\r\n";
		this.coordinator.writesElsewhere = true;
		AvailabilityChangeEvent.publish(this.context, ReadinessState.REFUSING_TRAFFIC);
		try (RawConnection connection = connect()) {
			connection.send(put + get + get);
			assertThat(connection.answer().status).isEqualTo(201);
			assertThat(connection.answer().headers).doesNotContainKey("connection");
			Answer third = connection.answer();
			assertThat(third.text()).isEqualTo("v");
			assertThat(third.headers).containsEntry("connection", "close");
			assertThat(connection.isAtEnd()).isTrue();
		}
	}

	@Test
	void aClientThatSendsFarTooLargeHeadersStillReadsWhy() throws IOException {
		try (RawConnection connection = connect()) {
			connection.send("GET / HTTP/1.1\r\nX: ").send(new byte[8 * 1024 * 1024]);
			assertThat(connection.answer().status).isEqualTo(431);
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			GET | 400 | bad-request
			GET / | 400 | bad-request
			GET / HTTP/9.x | 400 | bad-request
			GET / HTTP/1.1~Host: a:b | 400 | bad-request
			GET / HTTP/1.1~No colon | 400 | bad-request
			GET * HTTP/1.1~Host: localhost | 400 | bad-request
			GET v0 HTTP/1.1~Host: localhost | 400 | bad-request
			PUT /v0/entity?id=a HTTP/1.1~Host: localhost~Content-Length: -1 | 400 | bad-request
			PUT /v0/entity?id=a HTTP/1.1~Host: localhost~Content-Length: 99999999999999999999 | 400 | bad-request
			PUT /v0/entity?id=a HTTP/1.1~Host: localhost~Content-Length: 1~Content-Length: 2 | 400 | bad-request
			""")
	void aMalformedRequestIsAnsweredWithAProblem(String lines, int status, String name) throws IOException {
		try (RawConnection connection = connect()) {
			assertProblem(connection.send(lines.replace("~", "\r\n") + "\r\n\r\n").answer(), status, name, "detail");
		}
	}

	@ParameterizedTest
	@CsvSource({ "Accept, '*/*;q=0.1,', 64, 'field accept has more than 128'",
			"Accept-Encoding, 'gzip,', 128, 'field accept-encoding has more than 128'",
			"Content-Type, 'a/b;a=b;', 64, 'field content-type has more than 128'",
			"If-None-Match, '\"a\",', 128, 'field if-none-match has more than 128'",
			"Range, '1-1,', 128, 'field range has more than 128'" })
	void aFieldOfFarTooManyPartsIsRefused(String field, String part, int count, String why) throws IOException {
		try (RawConnection connection = connect()) {
			Answer answer = connection.request("GET", "/v0/entities?start=a", field + ": " + part.repeat(count))
				.answer();
			assertProblem(answer, 400, "bad-request", why);
			String fewer = field + ": " + part.repeat(count - 1);
			assertThat(connection.request("GET", "/v0/entities?start=a", fewer).answer().status).isEqualTo(200);
		}
	}

	@Test
	void farTooManyFieldsAreRefused() throws IOException {
		String[] fields = IntStream.range(0, 200).mapToObj((i) -> "a" + i + ": x").toArray(String[]::new);
		try (RawConnection connection = connect()) {
			Answer answer = connection.request("GET", "/v0/entity?id=a", fields).answer();
			assertProblem(answer, 400, "bad-request", "there are more than 128 header fields");
			String[] fewer = Arrays.copyOf(fields, 100);
			assertThat(connection.request("GET", "/v0/entity?id=a", fewer).answer().status).isEqualTo(404);
		}
	}

	@Test
	void aRequestLineThatIsTooLongIs414() throws IOException {
		assertProblem(ask("GET", "/v0/entity?id=" + "a".repeat(20_000)), 414, "request-line-too-long",
				"max-initial-line-length");
	}

	@Test
	void headersThatAreTooLargeAre431() throws IOException {
		assertProblem(ask("GET", "/v0/entity?id=a", "X: " + "a".repeat(20_000)), 431, "headers-too-large",
				"max-http-request-header-size");
	}

	@Test
	void aClientOfHttp10IsServed() throws IOException {
		try (RawConnection connection = connect()) {
			Answer answer = connection.send("GET /v0/entity?id=a HTTP/1.0\r\n\r\n").answer();
			assertThat(answer.status).isEqualTo(404);
			assertThat(connection.isAtEnd()).isTrue();
		}
	}

	@Test
	void anAbsoluteTargetIsNoPath() throws IOException {
		assertProblem(ask("GET", "http://localhost/v0/entity?id=a"), 400, "bad-request", "not a path");
	}

}
