package io.quorate.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.quorate.client.HostileServer.Script;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.adapter.JdkFlowAdapter;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Writes whose outcome is unknown: said so, and never repeated unless the caller asks for
 * that.
 */
class WriteTests extends HostileTests {

	private static Map<String, Script> unknown() {
		Map<String, Script> scripts = new LinkedHashMap<>(Scripts.noAnswers());
		String body = Scripts.head(201, "ETag: \"1\"", "Content-Length: 200");
		scripts.put("the connection ends", Scripts.cutAfter(""));
		scripts.put("the connection ends within the head", Scripts.cutAfter("HTTP/1.1 201 Cre"));
		scripts.put("the connection ends within the body", Scripts.cutAfter(body + "ab"));
		scripts.put("the head stands still", Scripts.standStillAfter("HTTP/1.1 201 Cre"));
		scripts.put("the body stands still", Scripts.standStillAfter(body + "ab"));
		scripts.put("the head trickles",
				Scripts.trickle(Scripts.head(201, "ETag: \"1\"", "X: " + "x".repeat(200), "Content-Length: 0"), 50, 0));
		scripts.put("the body trickles", Scripts.trickle(body + "x".repeat(200), 20, 0));
		scripts.put("502", Scripts.problem(502, "bad-gateway"));
		scripts.put("505", Scripts.problem(505, "http-version"));
		scripts.put("a status of success with a problem", Scripts.problem(200, "odd"));
		scripts.put("another status of success", Scripts.answer(204, "", "ETag: \"1\""));
		scripts.put("503 without a document", Scripts.answer(503, "", "Content-Type: application/problem+json"));
		scripts.put("503 of a proxy", Scripts.answer(503, "Unavailable", "Content-Type: text/html"));
		scripts.put("504 after it was written",
				Scripts.problemWith(504, "not-enough-replicas", ",\"outcome\":\"written\""));
		scripts.put("504 of a proxy", Scripts.answer(504, "Gateway Timeout"));
		scripts.put("success without a version", Scripts.answer(201, ""));
		scripts.put("503 too late", Scripts.late(2_000 * SLOWNESS, Scripts.problem(503, "overloaded")));
		return scripts;
	}

	private static Script script(String name) {
		return Objects.requireNonNull(unknown().get(name));
	}

	static Stream<String> unknownNames() {
		return unknown().keySet().stream();
	}

	@ParameterizedTest
	@MethodSource("unknownNames")
	void putOfUnknownOutcomeIsNotRepeated(String name) {
		HostileServer failing = node(script(name));
		HostileServer other = node(Scripts.written());
		QuorateClient client = client((options) -> options.stallTimeout(millis(300)).deadline(millis(700)), failing,
				other);
		OutcomeUnknownException error = caught(OutcomeUnknownException.class, () -> client.put("k", "v"));
		assertThat(error).hasMessageEndingWith("may have happened or not; it was not repeated.");
		assertThat(error.wasRepeated()).isFalse();
		assertThat(error.failures()).extracting(FailedAttempt::node).containsExactly(failing.url());
		assertThat(failing.received()).hasSize(1);
		assertThat(other.received()).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("unknownNames")
	void deletionOfUnknownOutcomeIsNotRepeated(String name) {
		HostileServer failing = node(script(name));
		HostileServer other = node(Scripts.deleted());
		QuorateClient client = client((options) -> options.stallTimeout(millis(300)).deadline(millis(700)), failing,
				other);
		caught(OutcomeUnknownException.class, () -> client.delete("k"));
		assertThat(failing.received()).hasSize(1);
		assertThat(other.received()).isEmpty();
	}

	@Test
	void putIsDoneBy201AndDeletionBy202() {
		caught(OutcomeUnknownException.class, () -> client(node(Scripts.deleted())).put("k", "v"));
		caught(OutcomeUnknownException.class, () -> client(node(Scripts.written())).delete("k"));
		assertThat(client(node(Scripts.written())).put("k", "v")).isEqualTo(new Written("\"1\""));
		assertThat(client(node(Scripts.deleted())).delete("k")).isEqualTo(new Written("\"1\""));
	}

	/*
	 * The JDK repeats reads on a connection that ended meanwhile. Of a write it must not.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "put", "empty put", "delete", "batch" })
	void writeOnAKeptConnectionIsSentOnce(String method) {
		HostileServer server = node(Scripts.value("red"), Scripts.CUT, Scripts.written());
		QuorateClient client = client(server);
		client.get("k");
		caught(OutcomeUnknownException.class, () -> {
			switch (method) {
				case "put" -> client.put("k", "v");
				case "empty put" -> client.put("k", "");
				case "delete" -> client.delete("k");
				default -> client.batch(List.of(put()));
			}
		});
		assertThat(server.received()).hasSize(2);
	}

	@Test
	void bodyIsSentOnceAndNotAtAllWhenAbandoned() {
		SentBody body = new SentBody(Scripts.bytes("red"), () -> {
		});
		assertThat(body.contentLength()).isEqualTo(3);
		assertThat(body.abandon()).isTrue();
		StepVerifier.create(JdkFlowAdapter.flowPublisherToFlux(body)).expectNextCount(1).expectComplete().verify(SLACK);
		StepVerifier.create(JdkFlowAdapter.flowPublisherToFlux(body)).expectError(IOException.class).verify(SLACK);
		SentBody abandoned = new SentBody(Scripts.bytes("red"), () -> {
		});
		assertThat(abandoned.abandon()).isFalse();
		caught(IllegalStateException.class, abandoned::contentLength);
	}

	@ParameterizedTest
	@ValueSource(strings = { "put", "empty put", "delete" })
	void propertyOfTheJdkRepeatsNoWrite(String method) throws IOException, InterruptedException {
		HostileServer server = node(Scripts.value("red"), Scripts.CUT, Scripts.written());
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Djdk.httpclient.enableAllMethodRetry=true", "-cp", System.getProperty("java.class.path"),
				OneWrite.class.getName(), server.url(), method)
			.redirectErrorStream(true)
			.start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).isZero();
		assertThat(output).isEqualTo("OutcomeUnknownException");
		assertThat(server.received()).hasSize(2);
	}

	@Test
	void unknownOutcomeHasTheAnswerOfTheNode() {
		QuorateClient client = client(node(script("504"), Scripts.CUT));
		Problem problem = caught(OutcomeUnknownException.class, () -> client.put("k", "v")).problem().orElseThrow();
		assertThat(problem.status()).isEqualTo(504);
		assertThat(problem.required()).hasValue(2);
		assertThat(problem.acknowledged()).hasValue(1);
		assertThat(problem.outcome()).isEqualTo("unknown");
		assertThat(caught(OutcomeUnknownException.class, () -> client.put("k", "v")).problem()).isEmpty();
	}

	static Stream<String> unknownNamesInTime() {
		return unknownNames().filter((name) -> !name.equals("the body trickles"));
	}

	@ParameterizedTest
	@MethodSource("unknownNamesInTime")
	void callerMayAskToRepeat(String name) {
		HostileServer failing = node(script(name));
		HostileServer other = node(Scripts.written());
		QuorateClient client = client((options) -> options.stallTimeout(millis(300)).deadline(millis(8_000)), failing,
				other);
		assertThat(client.put(put(), (options) -> options.repeatUnknown(true))).isEqualTo(new Written("\"1\""));
		assertThat(failing.received()).hasSize(1);
		assertThat(other.received()).hasSize(1);
		assertThat(other.received().get(0).body()).isEqualTo("v");
	}

	static Stream<Script> refusals() {
		return Stream.of(Scripts.problem(503, "overloaded", "Retry-After: 0"), Scripts.problem(400, "bad-request"),
				Scripts.problem(429, "too-many-requests"));
	}

	@ParameterizedTest
	@MethodSource("refusals")
	void refusalAfterAnUnknownOutcomeMakesNothingKnown(Script last) {
		QuorateClient client = client((options) -> options.repeatUnknown(true), node(Scripts.CUT, last), node(last));
		OutcomeUnknownException error = caught(OutcomeUnknownException.class, () -> client.put("k", "v"));
		assertThat(error.failures()).hasSizeGreaterThanOrEqualTo(2);
		assertThat(error.wasRepeated()).isTrue();
	}

	@Test
	void unknownOutcomeSaysIfTheWriteWasRepeated() {
		QuorateClient client = client((options) -> options.repeatUnknown(true).deadline(millis(1_000)),
				node(Scripts.CUT), unusedUrl());
		OutcomeUnknownException error = caught(OutcomeUnknownException.class, () -> client.put("k", "v"));
		// The second chance of the first node is a repetition; the port without a
		// listener is none.
		assertThat(error.failures()).hasSize(3);
		assertThat(error.wasRepeated()).isTrue();
		QuorateClient other = client((options) -> options.repeatUnknown(true),
				node(Scripts.problem(503, "draining", "Retry-After: 3000"), Scripts.CUT), node(Scripts.CUT));
		assertThat(caught(OutcomeUnknownException.class, () -> other.put("k", "v")).wasRepeated()).isFalse();
	}

	static Stream<Script> refusalsForNow() {
		return Stream.of(Scripts.problem(503, "overloaded"), Scripts.problem(503, "draining"),
				Scripts.problem(503, "late"), Scripts.problem(507, "disk-full"));
	}

	@ParameterizedTest
	@MethodSource("refusalsForNow")
	void writeThatWasRefusedGoesToTheNextNode(Script refusal) {
		HostileServer refusing = node(refusal);
		HostileServer other = node(Scripts.written());
		assertThat(client(refusing, other).put("k", "v")).isEqualTo(new Written("\"1\""));
		assertThat(refusing.received()).hasSize(1);
		assertThat(other.received()).hasSize(1);
	}

	@Test
	void writeWithoutAConnectionGoesToTheNextNode() {
		QuorateClient client = client(unusedUrl(), node(Scripts.written(), Scripts.deleted()));
		assertThat(client.put("k", "v")).isEqualTo(new Written("\"1\""));
		assertThat(client(unusedUrl(), node(Scripts.deleted())).delete("k")).isEqualTo(new Written("\"1\""));
	}

	@Test
	void writeToAProcessThatStandsStillGoesToTheNextNode() {
		QuorateClient client = client(stall(300), deafUrl(), node(Scripts.written()));
		assertThat(client.put("k", "v")).isEqualTo(new Written("\"1\""));
		assertThat(client(stall(300), deafUrl(), node(Scripts.deleted())).delete("k")).isEqualTo(new Written("\"1\""));
	}

	@Test
	void writeThatAllNodesRefuseHasNotHappened() {
		caught(DiskFullException.class,
				() -> client(node(Scripts.problem(507, "disk-full")), node(Scripts.problem(503, "overloaded"))).put("k",
						"v"));
		caught(OverloadedException.class,
				() -> client(unusedUrl(), node(Scripts.problem(503, "overloaded"))).put("k", "v"));
		caught(NoNodeAnsweredException.class, () -> client(unusedUrl()).put("k", "v"));
	}

	@Test
	void writeThatIsSaidNotToHappenGoesToTheNextNode() {
		Script refusal = Scripts.problemWith(504, "not-enough-replicas", ",\"outcome\":\"not-written\"");
		assertThat(client(node(refusal), node(Scripts.written())).put("k", "v")).isEqualTo(new Written("\"1\""));
		caught(NotEnoughReplicasException.class, () -> client(node(refusal)).put("k", "v"));
	}

	static Stream<Script> finalRefusals() {
		return Stream.of(Scripts.problem(400, "bad-request"), Scripts.problem(401, "unauthenticated"),
				Scripts.problem(413, "value-too-large"), Scripts.problem(429, "too-many-requests"),
				Scripts.problem(428, "condition-required"), Scripts.problem(501, "not-implemented"),
				Scripts.answer(302, "", "Location: http://127.0.0.1:1/"), Scripts.answer(404, "Not Found"));
	}

	@ParameterizedTest
	@MethodSource("finalRefusals")
	void writeThatNoNodeWouldDoIsAskedOfOne(Script refusal) {
		HostileServer other = node(Scripts.written());
		QuorateException error = caught(QuorateException.class, () -> client(node(refusal), other).put("k", "v"));
		assertThat(error).isNotInstanceOf(OutcomeUnknownException.class);
		assertThat(other.received()).isEmpty();
	}

	@Test
	void nodeThatTakesNoByteOfALargeValue() throws IOException {
		ServerSocket silent = opened(new ServerSocket(0, 5, InetAddress.getLoopbackAddress()));
		byte[] large = new byte[16_000_000];
		QuorateClient client = client(stall(400), "http://127.0.0.1:" + silent.getLocalPort());
		Duration time = timeUntil(OutcomeUnknownException.class, () -> client.put("k", large));
		assertThat(time).isBetween(millis(300), millis(400).plus(SLACK));
	}

}
