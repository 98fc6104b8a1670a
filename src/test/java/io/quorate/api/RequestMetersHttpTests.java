package io.quorate.api;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quorate.api.RawConnection.Answer;
import io.quorate.coordinator.QuorumNotReachedException;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.coordinator.RefusedException;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

/**
 * The measurement of each request: once, by its operation and outcome, with its timeline.
 */
class RequestMetersHttpTests extends HttpTests {

	private static final String A = "/v0/entity?id=a";

	private static final byte[] VALUE = "value".getBytes(UTF_8);

	private final RefusedException overloaded = new RefusedException(Why.REQUESTS, "as the test wants");

	private final QuorumNotReachedException unavailable = new QuorumNotReachedException(2, 1, true, List.of());

	/* https://www.w3.org/TR/server-timing/#the-server-timing-header-field */
	private static final String METRIC = "[!#$%&'*+.^_`|~0-9A-Za-z-]+(;dur=\\d+(\\.\\d{1,3})?)?(;desc=\"[^\"\\\\]*\")?";

	@Autowired
	MeterRegistry meters;

	private Map<String, Long> before = new TreeMap<>();

	@BeforeEach
	void remember() {
		this.before = counts("quorate.request", "quorate.scan");
	}

	@Test
	void successIsMeasuredByOperation() throws IOException {
		assertThat(put(A, VALUE).status).isEqualTo(201);
		assertMeasured("put success");
		assertThat(ask("GET", A).status).isEqualTo(200);
		assertThat(headOf("HEAD").status).isEqualTo(200);
		assertMeasured("put success", "get success", "get success");
		assertThat(ask("DELETE", A).status).isEqualTo(202);
		assertMeasured("put success", "get success", "get success", "delete success");
	}

	@Test
	void notFoundIsNoFault() throws IOException {
		assertThat(ask("GET", A).status).isEqualTo(404);
		assertMeasured("get not_found");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/v0/entity", "/v0/entity?id=", "/v0/entity?id=a&ack=9", "/v0/entity?id=%zz" })
	void wrongRequestIsRejected(String target) throws IOException {
		Answer answer = ask("GET", target);
		assertThat(answer.status).isEqualTo(400);
		assertThat(answer.headers).containsKey("server-timing");
		assertMeasured("get rejected");
	}

	@Test
	void tooLargeAValueIsRejected() throws IOException {
		assertThat(put(A, new byte[ApiTestApplication.MAX_VALUE_BYTES + 1]).status).isEqualTo(413);
		assertMeasured("put rejected");
	}

	@Test
	void bodyThatIsNoHttpIsRejectedOnce() throws IOException {
		try (RawConnection connection = connect()) {
			assertThat(connection.request("PUT", A, "Transfer-Encoding: chunked").send("zz\r\n").answer().status)
				.isEqualTo(400);
		}
		await().untilAsserted(() -> assertMeasured("put rejected"));
	}

	@Test
	void failuresAreMeasuredByTheirKind() throws IOException {
		assertFailure(this.unavailable, 504, "unavailable");
		assertFailure(this.overloaded, 503, "overloaded");
		assertFailure(new RefusedException(Why.DISK_FULL, "as the test wants"), 507, "disk_full");
		assertFailure(new IllegalStateException("as the test wants"), 500, "error");
	}

	private void assertFailure(RuntimeException failure, int status, String outcome) throws IOException {
		remember();
		this.coordinator.failure = failure;
		assertThat(put(A, VALUE).status).isEqualTo(status);
		assertMeasured("put " + outcome);
	}

	@Test
	void putWhoseClientLeavesIsCancelledOnce() throws IOException {
		this.coordinator.silent = true;
		try (RawConnection connection = connect()) {
			connection.request("PUT", A, "Content-Length: 5").send(VALUE);
			await().until(() -> this.coordinator.calls.get() == 1);
			connection.reset();
		}
		assertMeasuredInTheEnd("put cancelled");
	}

	@Test
	void putWhoseClientLeavesInItsMiddleIsCancelledOnce() throws IOException {
		try (RawConnection connection = connect()) {
			connection.request("PUT", A, "Content-Length: 500000").send(VALUE);
			await().until(() -> this.admission.bytes() > 0);
			connection.reset();
		}
		assertMeasuredInTheEnd("put cancelled");
	}

	@Test
	void getWhoseClientLeavesIsCancelledOnce() throws IOException {
		this.coordinator.silent = true;
		try (RawConnection connection = connect()) {
			connection.request("GET", A);
			await().until(() -> this.coordinator.calls.get() == 1);
		}
		assertMeasuredInTheEnd("get cancelled");
	}

	@Test
	void clientThatLeavesInTheMiddleOfItsValueWasAnswered() throws IOException {
		byte[] large = new byte[ApiTestApplication.MAX_VALUE_BYTES];
		this.coordinator.hold(Key.of("a"), Value.wrap(large));
		try (RawConnection connection = RawConnection.to(this.port, 4096)) {
			assertThat(connection.request("GET", A).head().status).isEqualTo(200);
			connection.reset();
		}
		assertMeasuredInTheEnd("get success");
	}

	/* What a second count would come from is over when everything is given back. */
	private void assertMeasuredInTheEnd(String... requests) {
		await().untilAsserted(() -> assertMeasured(requests));
		everythingIsGivenBack();
		assertMeasured(requests);
	}

	@Test
	void methodThatIsNoOperationIsNotMeasured() throws IOException {
		Answer answer = ask("POST", A);
		assertThat(answer.status).isEqualTo(405);
		assertThat(answer.headers).containsKey("server-timing");
		assertMeasured();
	}

	@Test
	void scanIsMeasuredToItsHeadAndToItsEnd() throws IOException {
		this.coordinator.hold(Key.of("a"), Value.wrap(VALUE));
		Answer answer = ask("GET", "/v0/entities?start=a");
		assertThat(answer.status).isEqualTo(200);
		assertThat(answer.headers.get("server-timing")).matches(METRIC + "(, " + METRIC + ")*");
		assertMeasuredInTheEnd("scan success", "complete");
	}

	@Test
	void emptyScanIsComplete() throws IOException {
		assertThat(ask("GET", "/v0/entities?start=a").status).isEqualTo(200);
		assertMeasuredInTheEnd("scan success", "complete");
	}

	@Test
	void scanThatFailsBeforeItsFirstRecordIsNoScanUnderWay() throws IOException {
		this.coordinator.failure = this.unavailable;
		assertThat(ask("GET", "/v0/entities?start=a").status).isEqualTo(504);
		assertMeasuredInTheEnd("scan unavailable");
	}

	@Test
	void scanThatCannotGoOnIsBroken() throws IOException {
		holdMegabytes(1);
		this.coordinator.failure = this.unavailable;
		this.coordinator.pagesBeforeFailure = 1;
		try (RawConnection connection = connect()) {
			connection.request("GET", "/v0/entities?start=a");
			assertThatIOException().isThrownBy(connection::answer);
		}
		assertMeasuredInTheEnd("scan success", "broken");
	}

	@Test
	void scanWhoseClientLeavesIsCancelled() throws IOException {
		holdMegabytes(6);
		try (RawConnection connection = RawConnection.to(this.port, 4096)) {
			assertThat(connection.request("GET", "/v0/entities?start=a").head().status).isEqualTo(200);
			connection.reset();
		}
		assertMeasuredInTheEnd("scan success", "cancelled");
	}

	private void holdMegabytes(int count) {
		for (int i = 0; i < count; i++) {
			this.coordinator.hold(Key.of("a" + i), Value.wrap(new byte[1024 * 1024]));
		}
	}

	@Test
	void sizesOfValuesAreMeasured() throws IOException {
		double in = bytes("in");
		double out = bytes("out");
		put(A, new byte[300]);
		headOf("HEAD");
		assertThat(bytes("out") - out).as("no value goes").isZero();
		ask("GET", A);
		assertThat(bytes("in") - in).isEqualTo(300);
		assertThat(bytes("out") - out).isEqualTo(300);
	}

	private double bytes(String direction) {
		return this.meters.get("quorate.value.size").tag("direction", direction).summary().totalAmount();
	}

	@Test
	void timeOfABodyThatNeverEndsIsItsClients() throws IOException {
		Timer put = this.meters.get("quorate.request").tags("operation", "put", "outcome", "rejected").timer();
		double before = put.totalTime(TimeUnit.MILLISECONDS);
		long count = put.count();
		try (RawConnection connection = connect()) {
			connection.request("PUT", A, "Content-Length: 5").send("va");
			assertThat(connection.answer().status).as("nothing of the body came for a second").isEqualTo(408);
		}
		assertThat(put.count() - count).isOne();
		assertThat(put.totalTime(TimeUnit.MILLISECONDS) - before).isLessThan(900);
	}

	@ParameterizedTest
	@CsvSource({ "PUT,201", "GET,200", "HEAD,200", "DELETE,202", "GET,404", "GET,503", "PUT,504", "PUT,507" })
	void answerSaysWhatTheRequestWentThrough(String method, int status) throws IOException {
		put(A, VALUE);
		this.coordinator.failure = failure(status);
		if (status == 404) {
			ask("DELETE", A);
		}
		Answer answer = "PUT".equals(method) ? put(A, VALUE) : headOf(method);
		assertThat(answer.status).isEqualTo(status);
		String timing = answer.headers.getOrDefault("server-timing", "");
		assertThat(timing).matches(METRIC + "(, " + METRIC + ")*");
		assertThat(timing).matches("total;dur=[\\d.]+, coord;dur=[\\d.]+, replicas;dur=[\\d.]+, "
				+ "n0;dur=[\\d.]+;desc=\"applied\", n-1\\.b_c;desc=\"repair waiting\"");
	}

	private @Nullable RuntimeException failure(int status) {
		return switch (status) {
			case 503 -> this.overloaded;
			case 504 -> this.unavailable;
			case 507 -> new RefusedException(Why.DISK_FULL, "as the test wants");
			default -> null;
		};
	}

	private Answer headOf(String method) throws IOException {
		try (RawConnection connection = connect()) {
			return connection.request(method, A).head();
		}
	}

	private void assertMeasured(String... requests) {
		Map<String, Long> expected = new TreeMap<>(this.before);
		for (String request : requests) {
			expected.merge(request, 1L, Long::sum);
		}
		assertThat(counts("quorate.request", "quorate.scan")).isEqualTo(expected);
	}

	private Map<String, Long> counts(String... names) {
		Map<String, Long> counts = new TreeMap<>();
		for (String name : names) {
			for (Timer timer : this.meters.get(name).timers()) {
				String operation = timer.getId().getTag("operation");
				String outcome = timer.getId().getTag("outcome");
				counts.put(((operation != null) ? operation + " " : "") + outcome, timer.count());
			}
		}
		return counts;
	}

}
