package io.quorate.api;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import io.quorate.api.RawConnection.Answer;
import io.quorate.coordinator.KeyWaits;
import io.quorate.coordinator.QuorumNotReachedException;
import io.quorate.entry.Key;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Reads that wait for another version. */
class WaitHttpTests extends HttpTests {

	private static final String A = "/v0/entity/a";

	private static final Key KEY = Key.of("a");

	@Autowired
	private KeyWaits waits;

	private String put(String value) throws IOException {
		return requireNonNull(put(A, value.getBytes(UTF_8)).headers.get("etag"));
	}

	/* What another client does while one waits. */
	@FunctionalInterface
	private interface Meanwhile {

		void happens() throws IOException;

	}

	private Answer waiting(String method, String target, Meanwhile meanwhile, String... fields) throws IOException {
		int before = this.coordinator.calls.get();
		try (RawConnection connection = connect()) {
			connection.request(method, target, fields);
			await().until(() -> this.coordinator.calls.get() > before);
			meanwhile.happens();
			this.waits.stored(KEY);
			return documented(method, target, connection.answer());
		}
	}

	private void end() {
		this.coordinator.waitedNanos.addAndGet(Duration.ofSeconds(56).toNanos());
		this.waits.tick();
	}

	@ParameterizedTest
	@CsvSource({ "?wait=30, X: y", "'', Prefer: wait=30", "'', 'Prefer: foo, wait = \"99\" ;x'",
			"?wait=30&consistency=linearizable, X: y", "?wait=55, Prefer: wait=1" })
	void aClientIsToldTheNextVersion(String query, String field) throws IOException {
		String tag = put("one");
		Answer answer = waiting("GET", A + query, () -> put("two"), "If-None-Match: " + tag, field);
		assertThat(answer.status).isEqualTo(200);
		assertThat(answer.text()).isEqualTo("two");
		assertThat(answer.headers.get("etag")).isNotEqualTo(tag);
	}

	@Test
	void aClientIsToldThatTheValueHasGone() throws IOException {
		String tag = put("one");
		assertThat(waiting("GET", A + "?wait=30", () -> ask("DELETE", A), "If-None-Match: " + tag).status)
			.isEqualTo(404);
		put("two");
		assertThat(waiting("GET", A + "?wait=30", () -> ask("DELETE", A), "If-None-Match: *").status).isEqualTo(404);
	}

	@Test
	void aClientWaitsForAValueToBeThere() throws IOException {
		Answer answer = waiting("GET", A + "?wait=30", () -> put("one"), "If-Match: *");
		assertThat(answer.text()).isEqualTo("one");
		assertThat(waiting("HEAD", A + "?wait=30", this::end, "If-None-Match: " + answer.headers.get("etag")).status)
			.isEqualTo(304);
	}

	@Test
	void aWaitEndsWithTheAnswerThatHoldsThen() throws IOException {
		assertThat(waiting("GET", A + "?wait=30", this::end, "If-Match: *").status).isEqualTo(404);
		String tag = put("one");
		Answer unchanged = waiting("GET", A + "?wait=30", this::end, "If-None-Match: " + tag);
		assertThat(unchanged.status).isEqualTo(304);
		assertThat(unchanged.headers).containsEntry("etag", tag);
		Answer failed = waiting("GET", A + "?wait=30", () -> {
			this.coordinator.failure = new QuorumNotReachedException(2, 1, false, List.of());
			end();
		}, "If-None-Match: " + tag);
		assertProblem(failed, 504, "not-enough-replicas", "1");
	}

	@ParameterizedTest
	@ValueSource(strings = { "X: y", "If-None-Match: \"other\"", "If-Match: \"other\"" })
	void anAnswerThatIsKnownComesAtOnce(String field) throws IOException {
		put("one");
		assertThat(ask("GET", A + "?wait=55", field).status).isIn(200, 412);
		ask("DELETE", A);
		assertThat(ask("GET", A + "?wait=55", "If-None-Match: *").status).isEqualTo(404);
	}

	@Test
	void aValueThatWasModifiedSinceIsKnownAtOnce() throws IOException {
		String tag = put("one");
		assertThat(ask("GET", A + "?wait=55", "If-None-Match: " + tag,
				"If-Unmodified-Since: Thu, 01 Jan 1970 00:00:01 GMT").status)
			.isEqualTo(412);
	}

	@Test
	void aPreferenceThatCannotBeHonouredFailsNothing() throws IOException {
		this.coordinator.replicationFactor = 3;
		String tag = put("one");
		assertThat(ask("GET", A + "?ack=1", "If-None-Match: " + tag, "Prefer: wait=30").status).isEqualTo(304);
	}

	@Test
	void aClientThatGoesIsForgotten() throws IOException {
		String tag = put("one");
		int before = this.coordinator.calls.get();
		try (RawConnection connection = connect()) {
			connection.request("GET", A + "?wait=55", "If-None-Match: " + tag);
			await().until(() -> this.coordinator.calls.get() > before);
		}
		await().until(() -> !this.waits.isAwaited(KEY));
	}

	@Test
	void aClientThatWaitsHoldsNoPlace() throws IOException {
		String tag = put("one");
		Answer answer = waiting("GET", A + "?wait=55", () -> {
			await().until(() -> this.admission.requests() == 0);
			end();
		}, "If-None-Match: " + tag);
		assertThat(answer.status).isEqualTo(304);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			GET    | ?wait=0          | between 1 and 55
			GET    | ?wait=56         | between 1 and 55
			GET    | ?wait=x          | no whole number
			GET    | ?wait=5&ack=1    | concerns all 3 replicas
			PUT    | ?wait=5          | parameter 'wait' is for GET and HEAD
			DELETE | ?wait=5          | parameter 'wait' is for GET and HEAD
			PATCH  | ?wait=5&ttl=5    | parameter 'wait' is for GET and HEAD
			""")
	void aWaitThatMeansNothingIsRefused(String method, String query, String detail) throws IOException {
		this.coordinator.replicationFactor = 3;
		assertProblem(ask(method, A + query, method.equals("GET") ? "If-None-Match: *" : "Content-Length: 0"), 400,
				"bad-request", detail);
		assertThat(this.coordinator.calls).hasValue(0);
	}

}
