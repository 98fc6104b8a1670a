package io.quorate.api;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.quorate.api.RawConnection.Answer;
import io.quorate.api.request.EntityTag;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.Consistency;
import io.quorate.coordinator.ContendedException;
import io.quorate.coordinator.FatedWrites;
import io.quorate.coordinator.IdempotencyKeyReusedException;
import io.quorate.coordinator.QuorumNotReachedException.Fate;
import io.quorate.coordinator.QuorumNotReachedException;
import io.quorate.coordinator.Written.Replayed;
import io.quorate.entry.Condition.Versions;
import io.quorate.entry.Condition;
import io.quorate.entry.IdempotencyKey;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** Writes on conditions, and linearizable requests, by each answer that they can have. */
class ConditionalWriteHttpTests extends HttpTests {

	private static final String A = "/v0/entity/a";

	private static final String NO_TRANSFORM = "no-store, no-transform";

	private static final byte[] OLD = "old".getBytes(UTF_8);

	private static final byte[] NEW = "new".getBytes(UTF_8);

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			If-Match: TAG                         | 201
			If-Match: "x" , TAG                   | 201
			If-Match: *                           | 201
			If-Match: W/TAG                       | 412
			If-Match: "x"                         | 412
			If-None-Match: *                      | 412
			If-None-Match: "x", TAG               | 412
			If-None-Match: W/TAG                  | 412
			If-None-Match: "x"                    | 201
			If-Match: *;If-None-Match: "x"        | 201
			If-Match: TAG;If-None-Match: TAG      | 412
			If-Match: "x";If-None-Match: "y"      | 412
			If-Match: "x";If-Match: TAG           | 201
			""")
	void aWriteHappensOnlyOnTheVersionThatItNames(String fields, int status) throws IOException {
		String tag = tag(put(A, OLD));
		Answer written = put(A, NEW, fields.replace("TAG", tag).split(";", -1));
		assertThat(written.status).as(written.text()).isEqualTo(status);
		assertThat(written.headers).containsEntry("cache-control", NO_TRANSFORM);
		if (status == 412) {
			requireFailed(written, tag);
		}
		Answer now = ask("GET", A);
		assertThat(now.body).isEqualTo((status == 201) ? NEW : OLD);
		assertThat(tag(now)).isEqualTo(tag(written));
		Answer deleted = ask("DELETE", A, fields.replace("TAG", tag(now)).split(";", -1));
		assertThat(deleted.status).isEqualTo((status == 201) ? 202 : 412);
		assertThat(ask("GET", A).status).isEqualTo((status == 201) ? 404 : 200);
	}

	private static void requireFailed(Answer answer, String current) {
		assertThat(answer.text()).contains("urn:quorate:problem:precondition-failed", "nothing was written");
		assertThat(json(answer).get("current").asString()).isEqualTo(current);
		assertThat(answer.headers).containsEntry("etag", current).doesNotContainKey("quorate-version");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			Prefer: return=representation                    | true
			Prefer: Return = "representation"; foo           | true
			Prefer: wait=10, return=representation           | true
			Prefer: wait=10&Prefer: return=representation    | true
			Prefer: return=minimal                           | false
			Prefer: return=representations                   | false
			X: y                                             | false
			""")
	void aClientMayPreferToHaveTheValueThatItsConditionHasFailedOn(String fields, boolean isShown) throws IOException {
		String tag = tag(put(A + "?ttl=600", OLD, "Content-Type: text/plain"));
		String[] asked = (fields + "&If-Match: \"x\"").split("&", -1);
		for (Answer failed : List.of(put(A, NEW, asked), ask("DELETE", A, asked), ask("PATCH", A + "?ttl=6", asked))) {
			assertThat(failed.status).isEqualTo(412);
			requireFailed(failed, tag);
			assertThat(failed.headers.get("preference-applied")).isEqualTo(isShown ? "return=representation" : null);
			assertThat(json(failed).path("value").asString("")).isEqualTo(isShown ? "b2xk" : "");
			assertThat(json(failed).path("contentType").asString("")).isEqualTo(isShown ? "text/plain" : "");
			assertThat(json(failed).has("expires")).isEqualTo(isShown);
		}
	}

	@Test
	void aValueThatIsLargeOrGoneIsNotShown() throws IOException {
		String prefer = "Prefer: return=representation";
		put(A, new byte[64 * 1024]);
		assertThat(json(put(A, NEW, "If-None-Match: *", prefer)).has("value")).isTrue();
		String tag = tag(put(A, new byte[64 * 1024 + 1]));
		Answer large = put(A, NEW, "If-None-Match: *", prefer);
		requireFailed(large, tag);
		assertThat(large.headers).doesNotContainKey("preference-applied");
		ask("DELETE", A);
		Answer absent = put(A, NEW, "If-Match: *", prefer);
		assertThat(absent.status).isEqualTo(412);
		assertThat(json(absent).has("value")).isFalse();
		assertThat(this.admission.requests()).isZero();
	}

	@Test
	void anotherValueThanTheConditionHasFailedOnIsNotShown() throws IOException {
		String prefer = "Prefer: return=representation";
		String tag = tag(put(A, OLD));
		this.coordinator.beforeReads = () -> this.coordinator.hold(Key.of("a"), Value.copyOf(NEW));
		Answer failed = put(A, NEW, "If-None-Match: *", prefer);
		requireFailed(failed, tag);
		assertThat(json(failed).has("value")).isFalse();
		this.coordinator.beforeReads = () -> {
			throw new QuorumNotReachedException(2, 1, false, List.of());
		};
		Answer unread = put(A, NEW, "If-None-Match: *", prefer);
		assertThat(unread.status).isEqualTo(412);
		assertThat(json(unread).has("value")).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "If-Match: *", "If-Match: \"x\"", "If-Match: TAG" })
	void anAbsentKeyHasNoVersionThatMatches(String field) throws IOException {
		Answer never = put(A, NEW, field.replace("TAG", EntityTag.of(Timestamp.ZERO)));
		assertThat(never.status).isEqualTo(412);
		assertThat(json(never).get("current").isNull()).isTrue();
		assertThat(never.headers).containsEntry("cache-control", NO_TRANSFORM)
			.doesNotContainKeys("etag", "quorate-version");
		put(A, OLD);
		String deletion = tag(ask("DELETE", A));
		Answer deleted = put(A, NEW, field.replace("TAG", deletion));
		assertThat(deleted.status).isEqualTo(412);
		assertThat(json(deleted).get("current").isNull()).isTrue();
		assertThat(deleted.headers).containsEntry("quorate-version", deletion).doesNotContainKey("etag");
		assertThat(put(A, NEW, "If-None-Match: *").status).isEqualTo(201);
		assertThat(ask("GET", A).body).isEqualTo(NEW);
	}

	@Test
	void theConditionIsThatOfTheFields() throws IOException {
		Timestamp version = new Timestamp(0x0192f3c5a1b20000L, 7);
		put(A, NEW, "If-Match: " + EntityTag.of(version), "If-None-Match: *");
		assertThat(this.coordinator.lastCondition)
			.isEqualTo(new Condition(Versions.of(List.of(version)), Versions.ANY));
		put(A, NEW);
		assertThat(this.coordinator.lastCondition).isNull();
		put(A + "?consistency=quorum", NEW);
		assertThat(this.coordinator.lastCondition).isNull();
		assertThat(put(A + "?consistency=linearizable", NEW).headers).containsEntry("cache-control", NO_TRANSFORM);
		assertThat(this.coordinator.lastCondition).isEqualTo(Condition.NONE);
		assertThat(ask("DELETE", A + "?consistency=linearizable").headers).containsEntry("cache-control", NO_TRANSFORM);
		assertThat(this.coordinator.lastCondition).isEqualTo(Condition.NONE);
		put(A + "?consistency=linearizable", NEW, "If-None-Match: *");
		assertThat(this.coordinator.lastCondition).isEqualTo(Condition.ABSENT);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			If-Match: x                                          | If-Match is neither
			If-Match:                                            | If-Match is neither
			If-Match: "x                                         | If-Match is neither
			If-None-Match: None                                  | If-None-Match is neither
			If-None-Match: *, "x"                                | If-None-Match is neither
			If-Unmodified-Since: Sat, 01 Jan 2022 00:00:00 GMT   | seconds are no version
			If-Unmodified-Since: nonsense                        | seconds are no version
			""")
	void aConditionThatIsNotUnderstoodIsRefused(String field, String detail) throws IOException {
		put(A, OLD);
		int calls = this.coordinator.calls.get();
		assertProblem(put(A, NEW, field), 400, "bad-request", detail);
		assertProblem(ask("DELETE", A, field), 400, "bad-request", detail);
		if (!field.startsWith("If-Unmodified")) {
			assertProblem(ask("GET", A, field), 400, "bad-request", detail);
			assertProblem(ask("GET", "/v0/entity/absent", field), 400, "bad-request", detail);
		}
		assertThat(this.coordinator.calls).hasValue(calls);
	}

	@Test
	void aWriteNamesAtMost32VersionsAndAReadMore() throws IOException {
		String tag = tag(put(A, OLD));
		String most = "\"x\", ".repeat(31) + tag;
		assertThat(put(A, NEW, "If-Match: " + most).status).isEqualTo(201);
		assertProblem(put(A, NEW, "If-Match: " + most + ", \"x\""), 400, "bad-request", "may name 32");
		assertThat(ask("GET", A, "If-None-Match: " + most + ", \"x\"").status).isEqualTo(200);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			''           | 3 | 2 | 3
			ack=2        | 3 | 2 | 3
			ack=3        | 3 | 3 | 3
			from=3       | 3 | 2 | 3
			replicas=3/3 | 3 | 3 | 3
			replicas=3/5 | 5 | 3 | 5
			''           | 4 | 3 | 4
			""")
	void conditionsConcernAllReplicas(String query, int factor, int ack, int from) throws IOException {
		this.coordinator.replicationFactor = factor;
		String separator = query.isEmpty() ? "" : "&" + query;
		for (String method : List.of("GET", "PUT", "DELETE")) {
			Answer answer = method.equals("PUT") ? put(A + "?consistency=linearizable" + separator, NEW)
					: ask(method, A + "?consistency=linearizable" + separator);
			assertThat(answer.status).as(method + answer.text()).isIn(201, 202, 404);
			assertThat(this.coordinator.lastConsistency).isEqualTo(new Consistency(ack, from));
		}
		assertThat(put(A + "?" + query, NEW, "If-None-Match: *").status).isEqualTo(201);
		assertThat(this.coordinator.lastConsistency).isEqualTo(new Consistency(ack, from));
	}

	@ParameterizedTest
	@ValueSource(strings = { "ack=1", "from=1", "from=2", "replicas=2/2", "replicas=1/3" })
	void fewerReplicasAreRefused(String query) throws IOException {
		this.coordinator.replicationFactor = 3;
		String linearizable = A + "?consistency=linearizable&" + query;
		assertProblem(ask("GET", linearizable), 400, "bad-request", "concerns all 3 replicas, and at least 2");
		assertProblem(put(linearizable, NEW), 400, "bad-request", "concerns all 3 replicas");
		assertProblem(put(A + "?" + query, NEW, "If-Match: *"), 400, "bad-request", "concerns all 3 replicas");
		assertProblem(ask("DELETE", A + "?" + query, "If-None-Match: *"), 400, "bad-request", "all 3 replicas");
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@Test
	void noOtherWordIsAConsistency() throws IOException {
		assertProblem(ask("GET", A + "?consistency=strong"), 400, "bad-request",
				"parameter 'consistency' is neither quorum nor linearizable");
		assertProblem(put(A + "?consistency=", NEW), 400, "bad-request", "'consistency' is neither");
		assertProblem(ask("GET", "/v0/entities?start=a&consistency=linearizable"), 400, "bad-request",
				"parameter 'consistency' is unknown here");
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@Test
	void aLinearizableReadSaysTheVersionOfWhatIsGone() throws IOException {
		String target = A + "?consistency=linearizable";
		Answer never = ask("GET", target);
		assertThat(never.status).isEqualTo(404);
		assertThat(never.headers).containsEntry("cache-control", NO_TRANSFORM).doesNotContainKey("quorate-version");
		String tag = tag(put(A, OLD));
		Answer found = ask("GET", target);
		assertThat(found.body).isEqualTo(OLD);
		assertThat(found.headers).containsEntry("etag", tag).containsEntry("cache-control", NO_TRANSFORM);
		Answer known = ask("GET", target, "If-None-Match: " + tag);
		assertThat(known.status).isEqualTo(304);
		assertThat(known.headers).containsEntry("cache-control", NO_TRANSFORM);
		String deletion = tag(ask("DELETE", A));
		assertThat(ask("GET", target).headers).containsEntry("quorate-version", deletion)
			.containsEntry("cache-control", NO_TRANSFORM);
		try (RawConnection connection = connect()) {
			assertThat(connection.request("HEAD", target).head().headers).containsEntry("quorate-version", deletion);
		}
		assertThat(this.coordinator.linearizableReads).hasValue(5);
		Answer plain = ask("GET", A);
		assertThat(plain.headers).containsEntry("cache-control", "no-store").doesNotContainKey("quorate-version");
		assertThat(this.coordinator.linearizableReads).hasValue(5);
	}

	@Test
	void aContendedWriteMayBeRepeatedAtOnce() throws IOException {
		this.coordinator.failure = new ContendedException(7);
		for (Answer answer : List.of(put(A, NEW, "If-None-Match: *"), ask("DELETE", A, "If-Match: *"))) {
			assertProblem(answer, 409, "contended", "during each of 7 rounds until the deadline; nothing was written");
			assertThat(answer.headers).containsEntry("retry-after", "0");
		}
	}

	@ParameterizedTest
	@CsvSource({ "not-written, false", "unknown, false", "unknown, true", "written, true" })
	void theFateOfAWriteIsSaidAsFarAsItIsKnown(String word, boolean hasVersion) throws IOException {
		Timestamp version = new Timestamp(0x0192f3c5a1b20000L, 7);
		this.coordinator.failure = FatedWrites.of(new Fate(word, hasVersion ? version : null));
		for (Answer answer : List.of(put(A, NEW, "If-None-Match: *"), ask("DELETE", A, "If-Match: *"))) {
			assertProblem(answer, 504, "not-enough-replicas", "\"outcome\":\"%s\"".formatted(word));
			assertThat(json(answer).path("version").asString("")).isEqualTo(hasVersion ? EntityTag.of(version) : "");
		}
	}

	@Test
	void aWriteThatMayBeRepeatedHasAKeyOfItsClientAndOfTheRequest() throws IOException {
		List<IdempotencyKey> keys = new ArrayList<>();
		for (String target : List.of(A, A, A + "?ttl=5", A)) {
			put(target, (keys.size() == 3) ? OLD : NEW, "If-Match: \"x\"", "Idempotency-Key: 8e03978e");
			keys.add(requireNonNull(requireNonNull(this.coordinator.lastCondition).once()));
		}
		put(A, NEW, "If-Match: " + EntityTag.of(Timestamp.ZERO), "Idempotency-Key: 8e03978e");
		keys.add(requireNonNull(requireNonNull(this.coordinator.lastCondition).once()));
		put(A, NEW, "If-Match: \"x\"", "Idempotency-Key: 8e03978f");
		IdempotencyKey other = requireNonNull(requireNonNull(this.coordinator.lastCondition).once());
		ask("DELETE", A, "If-Match: \"x\"", "Idempotency-Key: 8e03978e");
		keys.add(requireNonNull(requireNonNull(this.coordinator.lastCondition).once()));
		assertThat(keys).extracting(IdempotencyKey::key)
			.containsOnly(keys.getFirst().key())
			.doesNotContain(other.key());
		assertThat(other.request()).isEqualTo(keys.getFirst().request());
		assertThat(keys.get(1)).isEqualTo(keys.getFirst());
		assertThat(keys.subList(1, 6)).extracting(IdempotencyKey::request).doesNotHaveDuplicates();
	}

	@Test
	void aWriteThatWasDoneIsAnsweredAgain() throws IOException {
		String tag = tag(put(A, OLD));
		Timestamp current = new Timestamp(0x0192f3c5a1b20000L, 7);
		this.coordinator.replayed = new Replayed(current);
		Answer again = put(A, NEW, "If-Match: " + tag, "Idempotency-Key: 1");
		assertThat(again.status).isEqualTo(201);
		assertThat(again.headers).containsEntry("idempotency-replayed", "true")
			.containsEntry("quorate-current", EntityTag.of(current));
		this.coordinator.replayed = new Replayed(null);
		assertThat(ask("DELETE", A, "If-Match: " + tag(ask("GET", A)), "Idempotency-Key: 2").headers)
			.containsEntry("quorate-current", "none");
		this.coordinator.replayed = null;
		assertThat(put(A, NEW, "If-None-Match: *", "Idempotency-Key: 3").headers)
			.doesNotContainKeys("idempotency-replayed", "quorate-current");
		this.coordinator.failure = new IdempotencyKeyReusedException();
		assertProblem(put(A, NEW, "If-None-Match: *", "Idempotency-Key: 1"), 422, "idempotency-key-reused",
				"asked for something else; nothing was written");
		this.coordinator.failure = FatedWrites.forgotten(current);
		Answer forgotten = put(A, NEW, "If-None-Match: *", "Idempotency-Key: 1");
		assertThat(forgotten.status).isEqualTo(412);
		assertThat(forgotten.text()).contains("is not remembered").doesNotContain("nothing was written");
		assertThat(json(forgotten).get("outcome").asString()).isEqualTo("unknown");
		assertThat(json(forgotten).get("current").asString()).isEqualTo(EntityTag.of(current));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "a b", "ä" })
	void anIdempotencyKeyIsOneWord(String key) throws IOException {
		assertProblem(put(A, NEW, "If-None-Match: *", "Idempotency-Key: " + key), 400, "bad-request",
				"is one word of 1 to 64");
		assertProblem(put(A, NEW, "If-None-Match: *", "Idempotency-Key: " + "x".repeat(65)), 400, "bad-request",
				"1 to 64");
		assertProblem(put(A, NEW, "If-None-Match: *", "Idempotency-Key: a", "Idempotency-Key: a"), 400, "bad-request",
				"one word");
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@Test
	void anIdempotencyKeyStandsBesideACondition() throws IOException {
		for (Answer answer : List.of(put(A, NEW, "Idempotency-Key: a"), ask("DELETE", A, "Idempotency-Key: a"),
				put(A + "?consistency=linearizable", NEW, "Idempotency-Key: a"),
				put(A, NEW, "If-Match: *", "Idempotency-Key: a"),
				put(A, NEW, "If-None-Match: \"x\"", "Idempotency-Key: a"))) {
			assertProblem(answer, 400, "bad-request", "If-Match with versions, or If-None-Match: *");
		}
		assertThat(this.coordinator.calls).hasValue(0);
	}

	@Test
	void aReadHasNoFate() throws IOException {
		this.coordinator.failure = new QuorumNotReachedException(2, 1, false, List.of());
		assertThat(json(ask("GET", A + "?consistency=linearizable")).has("outcome")).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "PUT", "DELETE" })
	void aKeyMayTakeOnlyWritesWithACondition(String method) throws IOException {
		for (String key : List.of("only:", "only:1")) {
			String target = "/v0/entity/" + key;
			int calls = this.coordinator.calls.get();
			assertProblem(write(method, target), 428, "condition-required", "quorate.conditional.only");
			assertProblem(write(method, target + "?consistency=quorum"), 428, "condition-required", "If-None-Match");
			assertThat(this.coordinator.calls).hasValue(calls);
			assertThat(write(method, target, "If-None-Match: *").status).isIn(201, 202);
			assertThat(write(method, target + "?consistency=linearizable").status).isIn(201, 202);
			assertThat(ask("GET", target).status).isIn(200, 404);
		}
		assertThat(write(method, "/v0/entity/only").status).isIn(201, 202);
		assertThat(this.coordinator.held(Key.of("only:1")) != null).isEqualTo(method.equals("PUT"));
	}

	private Answer write(String method, String target, String... fields) throws IOException {
		return method.equals("PUT") ? put(target, NEW, fields) : ask(method, target, fields);
	}

	private static String tag(Answer answer) {
		return requireNonNull(answer.headers.get("etag"), answer.text());
	}

	private static JsonNode json(Answer answer) {
		return JsonMapper.shared().readTree(answer.body);
	}

}
