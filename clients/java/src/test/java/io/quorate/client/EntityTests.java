package io.quorate.client;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.charset.UnsupportedCharsetException;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;

import io.quorate.client.HostileServer.Script;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Values, their absence, their parts, and the errors of calls for them. */
class EntityTests extends HostileTests {

	private static final String ETAG = "ETag: \"1\"";

	@Test
	void valueComesWithAllThatTheNodeSays() {
		HostileServer server = node(Scripts.answer(200, "grün", ETAG, "Content-Type: text/plain; charset=utf-8",
				"Last-Modified: Sat, 31 Jan 2026 12:00:00 GMT", "Expires: Sun, 01 Feb 2026 12:00:00 GMT"));
		Entity entity = client(server).get("k").orElseThrow();
		assertThat(entity.text()).isEqualTo("grün");
		assertThat(entity.value()).hasSize(5);
		assertThat(entity.isWhole()).isTrue();
		assertThat(entity.metadata()).isEqualTo(new Metadata("k", "\"1\"", 5, "text/plain; charset=utf-8",
				Instant.parse("2026-01-31T12:00:00Z"), Instant.parse("2026-02-01T12:00:00Z")));
		assertThat(entity.toString()).doesNotContain("grün");
	}

	@Test
	void textHasTheCharsetOfItsType() {
		Script latin = (connection, request) -> {
			connection.send(Scripts.bytes(
					Scripts.head(200, ETAG, "Content-Length: 1", "Content-Type: text/plain; Charset=\"ISO-8859-1\"")));
			connection.send(new byte[] { (byte) 0xfc });
		};
		assertThat(client(node(latin)).get("k").orElseThrow().text()).isEqualTo("ü");
		Entity odd = client(node(Scripts.answer(200, "a", ETAG, "Content-Type: text/plain; charset=x-odd"))).get("k")
			.orElseThrow();
		caught(UnsupportedCharsetException.class, odd::text);
	}

	@Test
	void textIsNoneThatIsNotOfItsCharset() {
		Script binary = (connection, request) -> {
			connection.send(Scripts.bytes(Scripts.head(200, ETAG, "Content-Length: 2")));
			connection.send(new byte[] { 'a', (byte) 0xff });
		};
		Entity entity = client(node(binary)).get("k").orElseThrow();
		assertThat(caught(IllegalStateException.class, entity::text)).hasMessageContaining("value() has its bytes");
		assertThat(entity.value()).containsExactly('a', 0xff);
	}

	@Test
	void noBytesAreAValueToo() {
		assertThat(client(node(Scripts.value(""))).get("k").orElseThrow().value()).isEmpty();
	}

	@Test
	void largeValueComesWhole() {
		String large = "0123456789abcdef".repeat(200_000);
		assertThat(client(node(Scripts.value(large))).get("k").orElseThrow().text()).isEqualTo(large);
	}

	@Test
	void valueCannotBeChangedByItsCaller() {
		Entity entity = client(node(Scripts.value("red"))).get("k").orElseThrow();
		entity.value()[0] = 0;
		assertThat(entity.text()).isEqualTo("red");
		assertThat(entity.buffer().isReadOnly()).isTrue();
	}

	@Test
	void touchedValueKeepsItsVersionAndLivesLonger() {
		HostileServer server = node(Scripts.answer(200, "", ETAG, "Expires: Sun, 01 Feb 2026 12:00:00 GMT"),
				Scripts.answer(200, "", ETAG));
		QuorateClient client = client(server);
		assertThat(client.touch(Touch.of("k", Duration.ofMinutes(1)).ifMatch("\"1\"", "\"2\"")))
			.contains(new Touched("\"1\"", Instant.parse("2026-02-01T12:00:00Z")));
		assertThat(client.touch(Touch.of("k", Duration.ofSeconds(1)))).contains(new Touched("\"1\"", null));
		assertThat(server.received().get(0).method()).isEqualTo("PATCH");
		assertThat(server.received().get(0).target()).isEqualTo("/v0/entity/k?ttl=60");
		assertThat(server.received().get(0).fields()).containsEntry("if-match", "\"1\", \"2\"");
		assertThat(server.received().get(1).fields()).doesNotContainKey("if-match");
		caught(IllegalArgumentException.class, () -> Touch.of("k", Duration.ofMillis(1500)));
	}

	@Test
	void touchOfNothingIsEmptyAndOfAnotherVersionFails() {
		QuorateClient client = client(node(Scripts.ABSENT, Scripts.problem(412, "precondition-failed")));
		assertThat(client.touch(Touch.of("k", Duration.ofMinutes(1)))).isEmpty();
		caught(PreconditionFailedException.class,
				() -> client.touch(Touch.of("k", Duration.ofMinutes(1)).ifMatch("\"1\"")));
	}

	@Test
	void touchOfUnknownOutcomeIsRepeatedAtTheNextNode() {
		HostileServer first = node(Scripts.problem(504, "not-enough-replicas"));
		HostileServer second = node(Scripts.answer(200, "", ETAG));
		assertThat(client(first, second).touch(Touch.of("k", Duration.ofMinutes(1)))).isPresent();
	}

	static Stream<Script> pages() {
		return Stream.of(Scripts.answer(404, "Not Found", "Content-Type: text/plain"),
				Scripts.answer(404, "{\"type\":\"about:blank\",\"status\":404}",
						"Content-Type: application/problem+json"),
				Scripts.answer(404, "{}", "Content-Type: application/problem+json"),
				Scripts.answer(404, "", "Cache-Control: no-store"));
	}

	@ParameterizedTest
	@MethodSource("pages")
	void absenceIsSaidByANodeAlone(Script page) {
		caught(InvalidAnswerException.class, () -> client(node(page)).get("k"));
	}

	@Test
	void headHasTheSize() {
		HostileServer server = node(Scripts.value("red"), Scripts.ABSENT,
				Scripts.answer(404, "", "Content-Type: text/html"), Scripts.answer(404, "", "Content-Type: text/html"),
				Scripts.answer(404, "", "Content-Type: application/problem+json"));
		QuorateClient client = client(server);
		assertThat(client.head("k").orElseThrow().size()).isEqualTo(3);
		assertThat(client.head("k")).isEmpty();
		caught(InvalidAnswerException.class, () -> client.head("k"));
		// Nodes forbid to store each answer; without that it is the problem of something
		// else.
		caught(NotFoundException.class, () -> client.head("k"));
	}

	@Test
	void errorOfAHeadHasNoDocument() {
		HostileServer server = node(Scripts.problem(403, "forbidden"));
		Problem problem = caught(ForbiddenException.class, () -> client(server).head("k")).problem().orElseThrow();
		assertThat(problem.status()).isEqualTo(403);
		assertThat(problem.type()).isEmpty();
	}

	@Test
	void conditionsAreSent() {
		HostileServer server = node(Scripts.sends(Scripts.head(304, ETAG)), Scripts.problem(412, "precondition-failed"),
				Scripts.value("red"), Scripts.ABSENT);
		QuorateClient client = client(server);
		assertThat(client.get(Get.of("k").ifNoneMatch("\"1\"", "\"2\""))).isEqualTo(new NotModified("\"1\"", null));
		caught(PreconditionFailedException.class, () -> client.get(Get.of("k").ifMatch("\"0\"")));
		assertThat(client.get(Get.of("k").ifNoneMatch("\"0\""))).isInstanceOf(Entity.class);
		assertThat(client.get(Get.of("k").ifMatch("*"))).isEqualTo(new NoValue("k"));
		assertThat(server.received().get(0).fields()).containsEntry("if-none-match", "\"1\", \"2\"");
		assertThat(server.received().get(1).fields()).containsEntry("if-match", "\"0\"");
	}

	@Test
	void answer304WithoutAConditionIsNone() {
		caught(InvalidAnswerException.class, () -> client(node(Scripts.sends(Scripts.head(304, ETAG)))).get("k"));
	}

	static Stream<Arguments> parts() {
		return Stream.of(Arguments.of(ByteRange.of(0, 3), "bytes=0-2", "bytes 0-2/10", 0),
				Arguments.of(ByteRange.from(7), "bytes=7-", "bytes 7-9/10", 7),
				Arguments.of(ByteRange.last(3), "bytes=-3", "bytes 7-9/10", 7),
				Arguments.of(ByteRange.of(7, 100), "bytes=7-99", "bytes 7-9/10", 7));
	}

	@ParameterizedTest
	@MethodSource("parts")
	void partOfAValue(ByteRange part, String field, String contentRange, long offset) {
		HostileServer server = node(Scripts.answer(206, "abc", ETAG, "Content-Range: " + contentRange));
		Entity entity = client(server).getPart("k", part.ifRange("\"1\"")).orElseThrow();
		assertThat(entity.text()).isEqualTo("abc");
		assertThat(entity.offset()).isEqualTo(offset);
		assertThat(entity.metadata().size()).isEqualTo(10);
		assertThat(entity.isWhole()).isFalse();
		assertThat(server.received().get(0).fields()).containsEntry("range", field).containsEntry("if-range", "\"1\"");
	}

	@Test
	void valueOfAnotherVersionComesWhole() {
		Entity whole = client(node(Scripts.value("abcdef"))).getPart("k", ByteRange.of(2, 4).ifRange("\"0\""))
			.orElseThrow();
		assertThat(whole.isWhole()).isTrue();
		assertThat(whole.offset()).isZero();
		Entity all = client(node(Scripts.answer(206, "abc", ETAG, "Content-Range: bytes 0-2/3")))
			.getPart("k", ByteRange.last(10))
			.orElseThrow();
		assertThat(all.isWhole()).isTrue();
	}

	@Test
	void noPartOfNothing() {
		QuorateClient client = client(node(Scripts.problem(416, "range-not-satisfiable"), Scripts.ABSENT));
		caught(RangeNotSatisfiableException.class, () -> client.getPart("k", ByteRange.from(100)));
		assertThat(client.getPart("k", ByteRange.from(100))).isEmpty();
	}

	static Stream<Script> lies() {
		return Stream.of(Scripts.answer(206, "abc", ETAG),
				Scripts.answer(206, "abc", ETAG, "Content-Range: bytes 0-9/10"),
				Scripts.answer(206, "abc", ETAG, "Content-Range: bytes 0-2/2"),
				Scripts.answer(206, "abc", ETAG, "Content-Range: lines 0-2/10"),
				Scripts.answer(206, "abc", ETAG, "Content-Range: bytes 5-7/10"),
				Scripts.answer(206, "abcd", ETAG, "Content-Range: bytes 0-3/10"),
				Scripts.answer(206, "ab", ETAG, "Content-Range: bytes 0-1/10"), Scripts.answer(200, "abc"),
				Scripts.value("abc", "Content-Encoding: gzip"), Scripts.value("abc", "Last-Modified: yesterday"),
				Scripts.cutAfter(Scripts.head(200, ETAG) + "abc"),
				Scripts.cutAfter(Scripts.head(200, ETAG, "Transfer-Encoding: gzip, chunked") + "abc"),
				Scripts.cutAfter(Scripts.head(200, ETAG, "Transfer-Encoding: identity") + "abc"),
				Scripts.cutAfter(Scripts.head(200, ETAG, "Transfer-Encoding: chunked", "Transfer-Encoding: gzip")
						+ Scripts.chunks("abc") + "0\r\n\r\n"),
				Scripts.value("abc", "Transfer-Encoding: chunked"), Scripts.value("abc", "Content-Length: 3"),
				Scripts.answer(302, "", "Location: http://127.0.0.1:1/"),
				Scripts.answer(400, "[]", "Content-Type: application/problem+json"),
				Scripts.answer(400, "[".repeat(50_000), "Content-Type: application/problem+json"),
				Scripts.answer(400, " ".repeat(100_000), "Content-Type: application/problem+json"),
				Scripts.answer(407, "", "Proxy-Authenticate: Basic"));
	}

	@ParameterizedTest
	@MethodSource("lies")
	void noValueIsTakenThatNoNodeWouldSend(Script lie) {
		caught(InvalidAnswerException.class, () -> client(node(lie)).getPart("k", ByteRange.of(0, 3)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "chunked", "Chunked" })
	void valueMayComeInChunks(String encoding) {
		HostileServer server = node(Scripts.sends(
				Scripts.head(200, ETAG, "Transfer-Encoding: " + encoding) + Scripts.chunks("ab", "c") + "0\r\n\r\n"));
		assertThat(client(server).get("k").orElseThrow().text()).isEqualTo("abc");
	}

	@Test
	void answerHasALargestSize() {
		HostileServer server = node(Scripts.value("abc".repeat(100)));
		caught(AnswerTooLargeException.class, () -> client((options) -> options.maxAnswerSize(299), server).get("k"));
		assertThat(client((options) -> options.maxAnswerSize(300), server).get("k")).isPresent();
	}

	static Stream<Arguments> problems() {
		return Stream.of(Arguments.of(400, "bad-request", BadRequestException.class),
				Arguments.of(400, "unknown-path", BadRequestException.class),
				Arguments.of(401, "unauthenticated", UnauthenticatedException.class),
				Arguments.of(403, "forbidden", ForbiddenException.class),
				Arguments.of(403, "cross-origin", ForbiddenException.class),
				Arguments.of(404, "unknown-page", NotFoundException.class),
				Arguments.of(405, "method-not-allowed", RefusedException.class),
				Arguments.of(408, "body-slow", RefusedException.class),
				Arguments.of(409, "contended", ContendedException.class),
				Arguments.of(409, "of-the-future", RefusedException.class),
				Arguments.of(412, "precondition-failed", PreconditionFailedException.class),
				Arguments.of(413, "value-too-large", TooLargeException.class),
				Arguments.of(413, "too-many-items", TooLargeException.class),
				Arguments.of(416, "range-not-satisfiable", RangeNotSatisfiableException.class),
				Arguments.of(421, "misdirected-request", RefusedException.class),
				Arguments.of(422, "idempotency-key-reused", IdempotencyKeyReusedException.class),
				Arguments.of(428, "condition-required", ConditionRequiredException.class),
				Arguments.of(429, "too-many-requests", TooManyRequestsException.class),
				Arguments.of(500, "internal-error", InternalErrorException.class),
				Arguments.of(501, "not-implemented", NotSupportedException.class),
				Arguments.of(503, "overloaded", OverloadedException.class),
				Arguments.of(503, "draining", DrainingException.class), Arguments.of(503, "late", LateException.class),
				Arguments.of(503, "clock", ClockUncertainException.class),
				Arguments.of(504, "not-enough-replicas", NotEnoughReplicasException.class),
				Arguments.of(507, "disk-full", DiskFullException.class),
				Arguments.of(418, "of-the-future", RefusedException.class));
	}

	@ParameterizedTest
	@MethodSource("problems")
	void eachProblemHasItsType(int status, String name, Class<? extends QuorateException> type) {
		HostileServer server = node(Scripts.problemWith(status, name, ",\"more\":7", "WWW-Authenticate: Bearer"));
		QuorateException error = caught(QuorateException.class, () -> client(server).get("k"));
		assertThat(error).isExactlyInstanceOf(type).hasMessage(server.url() + ": " + status + " T: D");
		Problem problem = error.problem().orElseThrow();
		assertThat(problem.node()).isEqualTo(server.url());
		assertThat(problem.status()).isEqualTo(status);
		assertThat(problem.type()).isEqualTo("urn:quorate:problem:" + name);
		assertThat(problem.title() + problem.detail() + problem.instance()).isEqualTo("TD/v0/entity");
		assertThat(problem.members()).containsEntry("more", 7L);
		boolean isForNow = name.equals("contended") || status == 429 || (status >= 500 && status != 501);
		assertThat(error instanceof UnavailableException).isEqualTo(isForNow);
	}

	@Test
	void errorsKeepTheirNumbers() throws IOException, ClassNotFoundException {
		Script lost = Scripts.problemWith(504, "not-enough-replicas",
				",\"required\":2,\"acknowledged\":1,\"replicas\":[{\"node\":\"n0\",\"said\":\"ack\"},"
						+ "{\"node\":\"n1\",\"said\":\"timeout\"}]");
		HostileServer server = node(lost, lost, Scripts.problem(503, "overloaded", "Retry-After: 7"));
		QuorateClient client = client(deadline(3_000), server);
		NotEnoughReplicasException error = caught(NotEnoughReplicasException.class, () -> client.get("k"));
		Problem problem = error.problem().orElseThrow();
		assertThat(problem.required()).hasValue(2);
		assertThat(problem.acknowledged()).hasValue(1);
		assertThat(problem.outcome()).isEmpty();
		assertThat(problem.replicas()).containsExactly(new ReplicaAnswer("n0", "ack"),
				new ReplicaAnswer("n1", "timeout"));
		assertThat(error.failures()).hasSize(2);
		assertThat(caught(OverloadedException.class, () -> client.get("k")).problem().orElseThrow().retryAfter())
			.isEqualTo(Duration.ofSeconds(7));
		NotEnoughReplicasException copy = (NotEnoughReplicasException) copied(error);
		assertThat(copy).hasMessage(error.getMessage());
		assertThat(copy.problem()).isEqualTo(error.problem());
		assertThat(copy.failures()).isEqualTo(error.failures());
	}

	private static Object copied(Object original) throws IOException, ClassNotFoundException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
			out.writeObject(original);
		}
		try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
			return in.readObject();
		}
	}

	@Test
	void errorHasTheTraceOfItsCaller() {
		assertThat(caught(BadRequestException.class, () -> client(node(Scripts.problem(400, "bad-request"))).get("k")))
			.hasStackTraceContaining("EntityTests.errorHasTheTraceOfItsCaller");
	}

	@Test
	void statusOfANode() {
		HostileServer server = node(Scripts.answer(200,
				"{\"node\":\"n0\",\"cluster\":\"c\",\"version\":\"0.1.0\",\"state\":\"ready\",\"open\":false}",
				"Content-Type: application/json"));
		assertThat(client(unusedUrl(), server).status())
			.isEqualTo(new NodeStatus(server.url(), "n0", "c", "0.1.0", "ready"));
		caught(NoNodeAnsweredException.class, () -> client(unusedUrl()).status());
	}

}
