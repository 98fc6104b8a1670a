package io.quorate.client;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.quorate.client.HostileServer.Received;
import io.quorate.client.HostileServer.Script;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Batches: each item has its own outcome, also when the answer breaks off. */
class BatchTests extends HostileTests {

	private static final String PUT = "{\"status\":201,\"etag\":\"1\"}";

	private static final String DELETED = "{\"status\":202,\"etag\":\"2\"}";

	private static final String READ = "{\"status\":200,\"etag\":\"1\",\"value\":\"cmVk\"}";

	private static Script whole(String... lines) {
		return Scripts.sends(Scripts.lines(lines));
	}

	private static Script broken(String... lines) {
		return Scripts.cutAfter(Scripts.begunLines(lines));
	}

	private static String failed(int status, String name) {
		return "{\"status\":" + status + ",\"problem\":" + Scripts.document(status, name, "").strip() + "}";
	}

	/** Returns a word for each result. */
	private static List<String> words(List<ItemResult> results) {
		return results.stream()
			.map((each) -> (each instanceof FailedItem failed) ? failed.error().getClass().getSimpleName()
					: each.getClass().getSimpleName())
			.toList();
	}

	private static List<String> lines(Received request) {
		return Arrays.asList(request.body().split("\n", -1));
	}

	@Test
	void itemsAreSentAsLines() {
		HostileServer server = node(whole(PUT, PUT, failed(404, "not-found"), DELETED));
		client(server).batch(List.of(
				Put.of("John Smith + Söhne", new byte[] { -1 }).contentType("image/png").ttl(Duration.ofMinutes(1)),
				Put.of("\"k\"\n", "red"), Get.of("%41").ifNoneMatch("\"1\"", "\"2\""), Delete.of(".")),
				(options) -> options.ack(1));
		Received request = server.received().get(0);
		assertThat(request.method() + " " + request.target()).isEqualTo("POST /v0/batch?ack=1");
		assertThat(lines(request)).containsExactly(
				"{\"op\":\"put\",\"id\":\"John Smith + SÃ¶hne\",\"value\":\"/w==\",\"contentType\":\"image/png\",\"ttl\":60}",
				"{\"op\":\"put\",\"id\":\"\\\"k\\\"\\n\",\"value\":\"cmVk\",\"contentType\":\"text/plain; charset=utf-8\"}",
				"{\"op\":\"get\",\"id\":\"%41\",\"ifNoneMatch\":\"\\\"1\\\", \\\"2\\\"\"}",
				"{\"op\":\"delete\",\"id\":\".\"}", "");
	}

	@Test
	void itemsHaveConditionsAndNoKeys() {
		HostileServer server = node(whole(PUT, PUT, DELETED));
		client(server).batch(List.of(Put.of("a", "").ifAbsent(),
				Put.of("b", "").ifMatch("\"1\"", "\"2\"").ifNoneMatch("\"3\"").keepTtl(),
				Delete.of("c").ifMatch("\"1\"")));
		assertThat(lines(server.received().get(0))).containsExactly(
				"{\"op\":\"put\",\"id\":\"a\",\"value\":\"\",\"contentType\":\"text/plain; charset=utf-8\",\"ifNoneMatch\":\"*\"}",
				"{\"op\":\"put\",\"id\":\"b\",\"value\":\"\",\"contentType\":\"text/plain; charset=utf-8\",\"ttl\":\"keep\",\"ifMatch\":\"\\\"1\\\", \\\"2\\\"\",\"ifNoneMatch\":\"\\\"3\\\"\"}",
				"{\"op\":\"delete\",\"id\":\"c\",\"ifMatch\":\"\\\"1\\\"\"}", "");
		assertThat(server.received().get(0).fields()).doesNotContainKey("idempotency-key");
	}

	@Test
	void conditionThatDoesNotHoldHasTheVersion() {
		String absent = failed(412, "precondition-failed").replace("{\"status\":412,\"problem\"",
				"{\"status\":412,\"version\":\"\\\"7\\\"\",\"problem\"");
		String present = failed(412, "precondition-failed").replace("\"title\"", "\"current\":\"\\\"8\\\"\",\"title\"");
		String unknown = present.replace("\"title\"", "\"outcome\":\"unknown\",\"title\"");
		List<ItemResult> results = client(node(whole(absent, present, unknown)))
			.batch(List.of(Put.of("a", "").ifMatch("\"1\""), Put.of("b", "").ifAbsent(), Put.of("c", "").ifAbsent()));
		assertThat(words(results)).containsExactly("PreconditionFailedException", "PreconditionFailedException",
				"OutcomeUnknownException");
		PreconditionFailedException first = (PreconditionFailedException) ((FailedItem) results.get(0)).error();
		assertThat(first.current()).isEmpty();
		assertThat(first.absentVersion()).contains("\"7\"");
		PreconditionFailedException second = (PreconditionFailedException) ((FailedItem) results.get(1)).error();
		assertThat(second.current()).contains("\"8\"");
		assertThat(second.absentVersion()).isEmpty();
	}

	@Test
	void itemWithAConditionIsNotRepeated() {
		HostileServer other = node(whole(PUT));
		caught(OutcomeUnknownException.class, () -> client(node(Scripts.CUT), other).batch(List.of(put().ifAbsent())));
		assertThat(other.received()).isEmpty();
	}

	@Test
	void eachItemHasItsOutcome() {
		HostileServer server = node(whole(PUT,
				"{\"status\":200,\"etag\":\"1\",\"value\":\"cmVk\",\"contentType\":\"text/plain\",\"expires\":\"2026-01-31T12:00:00Z\"}",
				failed(404, "not-found"), "{\"status\":304,\"etag\":\"1\"}", DELETED, failed(503, "late"),
				failed(504, "not-enough-replicas"), failed(504, "not-enough-replicas"), failed(404, "unknown-page"),
				failed(412, "precondition-failed"), failed(400, "bad-request")));
		List<ItemResult> results = client(server)
			.batch(List.of(put(), Get.of("a"), Get.of("b"), Get.of("c").ifNoneMatch("\"1\""), Delete.of("d"), put(),
					put(), Get.of("e"), Get.of("f"), Get.of("g").ifMatch("\"1\""), put()));
		assertThat(words(results)).containsExactly("Written", "Entity", "NoValue", "NotModified", "Written",
				"LateException", "OutcomeUnknownException", "NotEnoughReplicasException", "NotFoundException",
				"PreconditionFailedException", "BadRequestException");
		Entity entity = (Entity) results.get(1);
		assertThat(entity.text()).isEqualTo("red");
		assertThat(entity.metadata())
			.isEqualTo(new Metadata("a", "1", 3, "text/plain", null, Instant.parse("2026-01-31T12:00:00Z")));
		assertThat(((FailedItem) results.get(6)).error().problem().orElseThrow().status()).isEqualTo(504);
	}

	@Test
	void emptyBatchAsksNoNode() {
		assertThat(client(unusedUrl()).batch(List.of())).isEmpty();
	}

	static Stream<Script> ends() {
		return Stream.of(broken(PUT), whole(PUT), Scripts.standStillAfter(Scripts.begunLines(PUT)));
	}

	@ParameterizedTest
	@MethodSource("ends")
	void writesWithoutAnAnswerAreUnknown(Script end) {
		HostileServer other = node(whole(PUT, PUT));
		List<ItemResult> results = client(stall(300), node(end), other)
			.batch(List.of(Put.of("a", "1"), Put.of("b", "2"), Get.of("c"), Delete.of("d")));
		assertThat(words(results)).containsExactly("Written", "OutcomeUnknownException", "NoNodeAnsweredException",
				"OutcomeUnknownException");
		assertThat(other.received()).isEmpty();
	}

	@Test
	void batchWithoutAnyAnswerFails() {
		HostileServer other = node(whole(PUT));
		caught(OutcomeUnknownException.class, () -> client(node(Scripts.CUT), other).batch(List.of(put())));
		caught(OutcomeUnknownException.class, () -> client(node(Scripts.problem(500, "internal-error")), other)
			.batch(List.of(Get.of("a"), Delete.of("b"))));
		assertThat(other.received()).isEmpty();
	}

	@Test
	void restIsRepeatedIfTheCallerAsksForIt() {
		HostileServer first = node(broken(PUT));
		HostileServer second = node(whole(DELETED, READ));
		List<ItemResult> results = client(first, second).batch(List.of(put(), Delete.of("b"), Get.of("c")),
				(options) -> options.repeatUnknown(true));
		assertThat(words(results)).containsExactly("Written", "Written", "Entity");
		assertThat(lines(second.received().get(0))).containsExactly("{\"op\":\"delete\",\"id\":\"b\"}",
				"{\"op\":\"get\",\"id\":\"c\"}", "");
	}

	@Test
	void acknowledgedWriteIsNotRepeatedAfterALie() {
		HostileServer lying = node(whole(PUT, PUT, PUT));
		HostileServer last = node(whole("{\"status\":201,\"etag\":\"3\"}"));
		List<ItemResult> results = client(node(broken(PUT)), lying, last)
			.batch(List.of(Put.of("a", "1"), Put.of("b", "2")), (options) -> options.repeatUnknown(true));
		assertThat(results).containsExactly(new Written("1"), new Written("3"));
		assertThat(last.received().get(0).body()).contains("\"b\"").doesNotContain("\"a\"");
	}

	@Test
	void repeatedRestThatIsRefusedStaysUnknown() {
		HostileServer first = node(broken(PUT), Scripts.problem(503, "draining", "Retry-After: 0"));
		HostileServer second = node(Scripts.problem(503, "draining"));
		List<ItemResult> results = client(first, second).batch(List.of(Put.of("a", "1"), Put.of("b", "2")),
				(options) -> options.repeatUnknown(true));
		assertThat(words(results)).containsExactly("Written", "OutcomeUnknownException");
	}

	@Test
	void readsGoOnAtTheNextNode() {
		HostileServer second = node(whole(READ));
		List<ItemResult> results = client(node(broken(READ)), second).batch(List.of(Get.of("a"), Get.of("b")));
		assertThat(results).extracting((each) -> ((Entity) each).key()).containsExactly("a", "b");
		assertThat(lines(second.received().get(0))).containsExactly("{\"op\":\"get\",\"id\":\"b\"}", "");
	}

	@Test
	void readsThatAreRefusedAtTheNextNodeSaySo() {
		List<ItemResult> results = client(node(broken(PUT)), node(Scripts.problem(403, "forbidden")))
			.batch(List.of(put(), Get.of("b"), Get.of("c")));
		assertThat(words(results)).containsExactly("Written", "ForbiddenException", "ForbiddenException");
	}

	@ParameterizedTest
	@ValueSource(strings = { "\"expires\":\"2026-13-01T00:00:00Z\"", "\"value\":\"é\"", "\"value\":\"A\"" })
	void wrongValueLosesNoOutcome(String wrong) {
		String read = READ.replace("\"value\":\"cmVk\"", "\"value\":\"cmVk\"," + wrong);
		HostileServer other = node(whole(PUT));
		List<ItemResult> results = client(node(whole(PUT, read, PUT)), other)
			.batch(List.of(Put.of("a", "1"), Get.of("b"), Put.of("c", "3")));
		assertThat(words(results)).containsExactly("Written", "NoNodeAnsweredException", "OutcomeUnknownException");
		assertThat(other.received()).isEmpty();
	}

	static Stream<Arguments> halts() {
		Script full = Scripts.problem(503, "overloaded", "Retry-After: 5");
		return Stream.of(Arguments.of(Scripts.STAND_STILL, true), Arguments.of(Scripts.STAND_STILL, false),
				Arguments.of(full, true), Arguments.of(full, false));
	}

	@ParameterizedTest
	@MethodSource("halts")
	void batchThatIsEndedHasTheResultsThatCame(Script halt, boolean isInterrupt) throws InterruptedException {
		HostileServer second = node(halt);
		QuorateClient client = client(node(broken(PUT)), second);
		AtomicReference<List<ItemResult>> results = new AtomicReference<>(List.of());
		AtomicBoolean isInterrupted = new AtomicBoolean();
		Thread thread = new Thread(() -> {
			results.set(client.batch(List.of(put(), Get.of("b"))));
			isInterrupted.set(Thread.currentThread().isInterrupted());
		});
		thread.start();
		await(() -> second.received().size() == 1 && thread.getState() == Thread.State.WAITING);
		if (isInterrupt) {
			thread.interrupt();
		}
		else {
			client.close();
		}
		thread.join();
		assertThat(words(results.get())).containsExactly("Written", "CallInterruptedException");
		assertThat(isInterrupted.get()).isEqualTo(isInterrupt);
	}

	@Test
	void batchThatWasRefusedGoesToTheNextNode() {
		QuorateClient client = client(unusedUrl(), node(Scripts.problem(503, "overloaded")), node(whole(PUT)));
		assertThat(client.batch(List.of(put()))).containsExactly(new Written("1"));
		caught(TooLargeException.class,
				() -> client(node(Scripts.problem(413, "too-many-items"))).batch(List.of(put())));
	}

	@ParameterizedTest
	@ValueSource(strings = { PUT + "\n" + PUT, "{\"status\":200,\"etag\":\"1\"}", DELETED, "{\"etag\":\"1\"}",
			"{\"status\":503}", "\"x\"", "{\"status\":201}", "{\"status\":4294967497,\"etag\":\"1\"}" })
	void lieMakesWritesUnknown(String lie) {
		HostileServer other = node(whole(PUT));
		caught(OutcomeUnknownException.class,
				() -> client(node(whole(lie.split("\n", -1))), other).batch(List.of(put())));
		assertThat(other.received()).isEmpty();
	}

	@Test
	void answerToABatchHasALargestSize() {
		QuorateClient client = client((options) -> options.maxAnswerSize(40), node(whole(PUT, READ)));
		assertThat(words(client.batch(List.of(put(), Get.of("b"))))).containsExactly("Written",
				"AnswerTooLargeException");
	}

}
