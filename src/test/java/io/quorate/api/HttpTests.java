package io.quorate.api;

import java.io.IOException;
import java.util.Arrays;

import io.quorate.api.body.IdleSweep;
import io.quorate.coordinator.Admission;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.micrometer.metrics.test.autoconfigure.AutoConfigureMetrics;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The base of the tests over a real port: the room before a coordinator over a map, and
 * the check after each test that everything admitted was released.
 */
@SpringBootTest(classes = ApiTestApplication.class, webEnvironment = WebEnvironment.RANDOM_PORT, properties = {
		"management.endpoint.health.validate-group-membership=false", "quorate.api.body-idle-timeout=1s",
		"quorate.api.answer-idle-timeout=1s", "quorate.api.batch.max-items=200", "quorate.api.slow-request=700ms",
		"quorate.conditional.only=only:",
		/* A busy machine stops event loops for a second, which is a test of its own. */
		"quorate.coordinator.timeout=5s" })
@AutoConfigureMetrics
abstract class HttpTests {

	@Autowired
	InMemoryCoordinator coordinator;

	@Autowired
	ScriptedChanges changes;

	@Autowired
	Admission admission;

	@Autowired
	IdleSweep sweep;

	@LocalServerPort
	int port;

	@BeforeEach
	void forget() {
		this.coordinator.reset();
		this.changes.reset();
	}

	@AfterEach
	void everythingIsGivenBack() {
		await().untilAsserted(() -> {
			assertThat(this.admission.bytes()).as("bytes in flight").isZero();
			assertThat(this.admission.requests()).as("requests in flight").isZero();
			assertThat(this.sweep.size()).as("watched").isZero();
			assertThat(this.coordinator.openScans).as("scans not closed").hasValue(0);
			assertThat(this.changes.open).as("watches not left").hasValue(0);
		});
	}

	RawConnection connect() throws IOException {
		return RawConnection.to(this.port);
	}

	RawConnection.Answer ask(String method, String target, String... headers) throws IOException {
		try (RawConnection connection = connect()) {
			return documented(method, target, connection.request(method, target, headers).answer());
		}
	}

	RawConnection.Answer put(String target, byte[] body, String... headers) throws IOException {
		String[] more = Arrays.copyOf(headers, headers.length + 1);
		more[headers.length] = "Content-Length: " + body.length;
		try (RawConnection connection = connect()) {
			return documented("PUT", target, connection.request("PUT", target, more).send(body).answer());
		}
	}

	RawConnection.Answer post(String target, byte[] body, String... headers) throws IOException {
		String[] more = Arrays.copyOf(headers, headers.length + 1);
		more[headers.length] = "Content-Length: " + body.length;
		try (RawConnection connection = connect()) {
			return documented("POST", target, connection.request("POST", target, more).send(body).answer());
		}
	}

	/* Whatever a test is about, its answers are such as the document says. */
	static RawConnection.Answer documented(String method, String target, RawConnection.Answer answer) {
		ApiDocument.load().requireDocumented(method, target, answer);
		return answer;
	}

	static void assertProblem(RawConnection.Answer answer, int status, String name, String detail) {
		assertThat(answer.status).as(answer.text()).isEqualTo(status);
		assertThat(answer.headers).containsEntry("content-type", "application/problem+json")
			.containsEntry("cache-control", "no-store")
			.containsEntry("x-content-type-options", "nosniff");
		assertThat(answer.text()).contains("\"type\":\"urn:quorate:problem:" + name + "\"")
			.contains("\"status\":" + status)
			.contains("\"title\":\"")
			.contains(detail)
			.doesNotContain("Exception");
	}

}
