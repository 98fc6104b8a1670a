package io.quorate.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

import io.quorate.client.HostileServer.Received;
import io.quorate.client.HostileServer.Script;
import io.quorate.client.reactor.QuorateReactiveClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Writes with conditions: those that are done once are repeated after any failure, and
 * with one key.
 */
class ConditionTests extends HostileTests {

	private static final String KEY = "idempotency-key";

	private static final Script FAILED = Scripts.problemWith(412, "precondition-failed", ",\"current\":\"\\\"9\\\"\"");

	private static final Script CONTENDED = Scripts.problem(409, "contended", "Retry-After: 0");

	private static @Nullable String key(Received request) {
		return request.fields().get(KEY);
	}

	@Test
	void conditionsAreFields() {
		HostileServer server = node(Scripts.written(), Scripts.written(), Scripts.written(), Scripts.written(),
				Scripts.deleted());
		QuorateClient client = client(server);
		client.put(put().ifMatch("\"1\"", "\"2\"").keepTtl());
		client.put(put().ttl(Duration.ofSeconds(60)).ifAbsent());
		client.put(put().ifNoneMatch("\"3\""));
		client.put(put().ifMatch("*"));
		client.delete(Delete.of("k").ifMatch("\"4\""));
		List<Received> received = server.received();
		assertThat(received).extracting((each) -> each.method() + " " + each.target())
			.containsExactly("PUT /v0/entity/k?ttl=keep", "PUT /v0/entity/k?ttl=60", "PUT /v0/entity/k",
					"PUT /v0/entity/k", "DELETE /v0/entity/k");
		assertThat(received).extracting((each) -> each.fields().get("if-match"))
			.containsExactly("\"1\", \"2\"", null, null, "*", "\"4\"");
		assertThat(received).extracting((each) -> each.fields().get("if-none-match"))
			.containsExactly(null, "*", "\"3\"", null, null);
		// Not beside a condition that a late repetition could meet again.
		assertThat(received).extracting((each) -> each.fields().containsKey(KEY))
			.containsExactly(true, true, false, false, true);
		assertThat(UUID.fromString(key(received.get(0)))).isNotEqualTo(UUID.fromString(key(received.get(1))));
	}

	@Test
	void conditionWithoutAVersionIsRefused() {
		String[] none = {};
		caught(IllegalArgumentException.class, () -> put().ifMatch(none));
		caught(IllegalArgumentException.class, () -> put().ifNoneMatch(none));
		caught(IllegalArgumentException.class, () -> Delete.of("k").ifMatch(none));
		caught(IllegalArgumentException.class, () -> Touch.of("k", Duration.ofSeconds(5)).ifMatch(none));
		caught(IllegalArgumentException.class, () -> put().ifMatch(""));
	}

	static Stream<Script> unknown() {
		return Stream.concat(Scripts.noAnswers().values().stream(),
				Stream.of(Scripts.answer(503, "Unavailable", "Content-Type: text/html"),
						Scripts.problemWith(504, "not-enough-replicas", ",\"outcome\":\"written\"")));
	}

	@ParameterizedTest
	@MethodSource("unknown")
	void writeThatIsDoneOnceIsRepeatedWithItsKey(Script failure) {
		Map<Put, Script> puts = Map.of(put().ifAbsent(), failure, put().ifMatch("\"1\""), failure);
		puts.forEach((put, script) -> {
			HostileServer first = node(script);
			HostileServer second = node(
					Scripts.answer(201, "", "ETag: \"7\"", "Idempotency-Replayed: true", "Quorate-Current: \"8\""));
			Written written = client(stall(300), first, second).put(put);
			assertThat(written).isEqualTo(new Written("\"7\"", true, "\"8\""));
			assertThat(key(second.received().get(0))).isNotNull().isEqualTo(key(first.received().get(0)));
		});
		HostileServer first = node(failure);
		HostileServer second = node(
				Scripts.answer(202, "", "ETag: \"7\"", "Idempotency-Replayed: true", "Quorate-Current: none"));
		assertThat(client(stall(300), first, second).delete(Delete.of("k").ifMatch("\"1\"")))
			.isEqualTo(new Written("\"7\"", true, null));
		assertThat(key(second.received().get(0))).isNotNull().isEqualTo(key(first.received().get(0)));
	}

	@Test
	void eachSubscriptionIsAWriteOfItsOwn() {
		HostileServer server = node(Scripts.deleted());
		QuorateReactiveClient client = QuorateReactiveClient.of(opened(builder(server).buildAsync()));
		Mono<Written> deletion = client.delete(Delete.of("k").ifMatch("\"1\""));
		assertThat(deletion.block(SLACK)).isEqualTo(deletion.block(SLACK));
		assertThat(server.received()).extracting((each) -> each.fields().get("if-match")).containsOnly("\"1\"");
		assertThat(server.received()).extracting(ConditionTests::key).doesNotContainNull().doesNotHaveDuplicates();
	}

	@Test
	void otherConditionsAreNotRepeated() {
		HostileServer other = node(Scripts.written());
		for (Put put : List.of(put().ifMatch("*"), put().ifNoneMatch("\"1\""))) {
			caught(OutcomeUnknownException.class, () -> client(node(Scripts.CUT), other).put(put));
		}
		assertThat(other.received()).isEmpty();
	}

	@Test
	void attemptsAreBounded() {
		HostileServer server = node(Scripts.CUT);
		QuorateClient client = client((options) -> options.attempts(1), server);
		assertThat(caught(OutcomeUnknownException.class, () -> client.put(put().ifAbsent())).wasRepeated()).isFalse();
		assertThat(server.received()).hasSize(1);
		assertThat(caught(OutcomeUnknownException.class, () -> client(node(Scripts.CUT)).put(put().ifAbsent()))
			.wasRepeated()).isTrue();
	}

	@Test
	void conditionThatDoesNotHoldHasTheVersion() {
		HostileServer server = node(FAILED,
				Scripts.problemWith(412, "precondition-failed", ",\"current\":null", "Quorate-Version: \"7\""));
		QuorateClient client = client(server, node(Scripts.written()));
		PreconditionFailedException present = caught(PreconditionFailedException.class,
				() -> client.put(put().ifAbsent()));
		assertThat(present.current()).contains("\"9\"");
		assertThat(present.absentVersion()).isEmpty();
		PreconditionFailedException absent = caught(PreconditionFailedException.class,
				() -> client.delete(Delete.of("k").ifMatch("\"1\"")));
		assertThat(absent.current()).isEmpty();
		assertThat(absent.absentVersion()).contains("\"7\"");
		assertThat(server.received()).hasSize(2);
	}

	@Test
	void versionsThatAreNoMoreWereNotWritten() {
		QuorateClient client = client(node(Scripts.CUT), node(FAILED));
		assertThat(caught(PreconditionFailedException.class, () -> client.put(put().ifMatch("\"1\""))).failures())
			.hasSize(2);
	}

	@Test
	void valueThatIsThereMayBeOurs() {
		QuorateClient client = client(node(Scripts.CUT), node(FAILED));
		OutcomeUnknownException error = caught(OutcomeUnknownException.class, () -> client.put(put().ifAbsent()));
		assertThat(error.problem().orElseThrow().members()).containsEntry("current", "\"9\"");
	}

	@Test
	void forgottenOutcomeIsUnknown() {
		Script forgotten = Scripts.problemWith(412, "precondition-failed", ",\"outcome\":\"unknown\"");
		HostileServer other = node(Scripts.written());
		OutcomeUnknownException error = caught(OutcomeUnknownException.class,
				() -> client(node(Scripts.CUT), node(forgotten), other).put(put().ifMatch("\"1\"")));
		assertThat(error.problem().orElseThrow().status()).isEqualTo(412);
		assertThat(error.wasRepeated()).isTrue();
		// The key of a first attempt cannot be forgotten.
		caught(PreconditionFailedException.class,
				() -> client(unusedUrl(), node(forgotten), other).put(put().ifMatch("\"1\"")));
		assertThat(other.received()).isEmpty();
	}

	@Test
	void contendedWriteIsRepeatedAfterRandomPauses() {
		HostileServer first = node(CONTENDED);
		assertThat(client(first, node(Scripts.written())).put(put().ifMatch("*"))).isEqualTo(new Written("\"1\""));
		QuorateClient client = client(node(CONTENDED), node(CONTENDED));
		Duration time = timeUntil(ContendedException.class, () -> client.put(put().ifAbsent()));
		assertThat(time).isGreaterThan(Duration.ofMillis(200));
		assertThat(caught(ContendedException.class, () -> client.put("k", "v")).failures()).hasSize(3);
		caught(ContendedException.class, () -> client.touch(Touch.of("k", Duration.ofSeconds(5))));
	}

}
