package io.quorate.client;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.quorate.client.HostileServer.Script;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The node that a read goes to, and the next one. */
class FailoverTests extends HostileTests {

	private static final String BODY = Scripts.head(200, "ETag: \"1\"", "Content-Length: 5");

	private static Map<String, Script> failures() {
		Map<String, Script> scripts = new LinkedHashMap<>(Scripts.noAnswers());
		scripts.put("the connection ends within the body", Scripts.cutAfter(BODY + "re"));
		scripts.put("a chunk is missing", Scripts
			.cutAfter(Scripts.head(200, "ETag: \"1\"", "Transfer-Encoding: chunked") + Scripts.chunks("red")));
		scripts.put("the end of the connection is that of the body",
				Scripts.cutAfter(Scripts.head(200, "ETag: \"1\"") + "re"));
		scripts.put("the body stands still", Scripts.standStillAfter(BODY + "re"));
		scripts.put("503", Scripts.problem(503, "draining"));
		scripts.put("404 of a proxy", Scripts.answer(404, "Not Found", "Content-Type: text/plain"));
		return scripts;
	}

	static Stream<String> failureNames() {
		return failures().keySet().stream();
	}

	@ParameterizedTest
	@MethodSource("failureNames")
	void readGoesOnAfterAnyFailure(String name) {
		HostileServer failing = node(Objects.requireNonNull(failures().get(name)));
		HostileServer other = node(Scripts.value("red"));
		QuorateClient client = client(stall(300), failing, other);
		assertThat(client.get("k").orElseThrow().text()).isEqualTo("red");
		assertThat(failing.received()).isNotEmpty();
		assertThat(other.received()).hasSize(1);
	}

	@Test
	void readGoesOnAfterAProcessThatStandsStill() {
		QuorateClient client = client(stall(300), deafUrl(), node(Scripts.value("red")));
		assertThat(client.get("k")).isPresent();
	}

	@Test
	void nodeThatAnsweredLastIsAskedFirst() {
		HostileServer first = node(Scripts.problem(503, "draining"));
		HostileServer second = node(Scripts.value("red"));
		QuorateClient client = client(unusedUrl(), first, second);
		for (int i = 0; i < 3; i++) {
			client.get("k");
		}
		assertThat(first.received()).hasSize(1);
		assertThat(second.received()).hasSize(3);
	}

	@Test
	void absenceIsAnAnswer() {
		HostileServer other = node(Scripts.value("red"));
		assertThat(client(node(Scripts.ABSENT), other).get("k")).isEmpty();
		assertThat(other.received()).isEmpty();
	}

	@Test
	void faultOfTheRequestIsNotAskedOfOtherNodes() {
		HostileServer other = node(Scripts.value("red"));
		caught(BadRequestException.class, () -> client(node(Scripts.problem(400, "bad-request")), other).get("k"));
		caught(NotSupportedException.class,
				() -> client(node(Scripts.problem(501, "not-implemented")), other).get("k"));
		caught(TooManyRequestsException.class,
				() -> client(node(Scripts.problem(429, "too-many-requests")), other).get("k"));
		assertThat(other.received()).isEmpty();
	}

	@Test
	void eachNodeIsAskedOnceAndTheFirstAgain() {
		List<HostileServer> nodes = Stream.generate(() -> node(Scripts.problem(504, "not-enough-replicas")))
			.limit(3)
			.toList();
		QuorateException error = caught(NotEnoughReplicasException.class, () -> client(nodes.toArray()).get("k"));
		assertThat(nodes).extracting((each) -> each.received().size()).containsExactly(2, 1, 1);
		assertThat(error.failures()).extracting(FailedAttempt::node)
			.containsExactly(nodes.get(0).url(), nodes.get(1).url(), nodes.get(2).url(), nodes.get(0).url());
		assertThat(error.failures()).extracting(FailedAttempt::status).containsOnly(504);
	}

	@Test
	void singleNodeHasASecondChance() {
		HostileServer node = node(Scripts.problem(503, "draining"), Scripts.value("red"));
		assertThat(client(node).get("k")).isPresent();
	}

	@Test
	void oneAttemptIsOneRequest() {
		HostileServer failing = node(Scripts.problem(503, "draining"));
		HostileServer other = node(Scripts.value("red"));
		QuorateClient client = client((options) -> options.attempts(1), failing, other);
		assertThat(caught(DrainingException.class, () -> client.get("k")).failures()).hasSize(1);
		caught(DrainingException.class, () -> client.put("k", "v"));
		caught(DrainingException.class, () -> client.batch(List.of(Get.of("k"))));
		caught(DrainingException.class, () -> client.range(RangeQuery.all()).hasNext());
		assertThat(failing.received()).hasSize(4);
		assertThat(other.received()).isEmpty();
	}

	@Test
	void oneAttemptOfAPageThatBreaksOffIsItsEnd() {
		HostileServer failing = node(new RangeStore("k0", "k1"),
				Scripts.cutAfter(Scripts.begunLines(RangeStore.record("k2"))));
		HostileServer other = node(new RangeStore("k3", "k4"));
		try (RangeIterator<RangeRecord> range = client((options) -> options.attempts(1), failing, other)
			.range(RangeQuery.all().pageSize(1))) {
			assertThat(range.next().key()).isEqualTo("k0");
			assertThat(range.next().key()).isEqualTo("k2");
			assertThat(caught(IncompleteRangeException.class, range::hasNext).failures()).hasSize(1);
		}
		assertThat(failing.received()).hasSize(2);
		assertThat(other.received()).isEmpty();
	}

	@Test
	void lastOfFewerAttemptsThanNodesDoesNotPause() {
		HostileServer busy = node(Scripts.problem(503, "overloaded", "Retry-After: 3000"));
		HostileServer third = node(Scripts.value("red"));
		QuorateClient client = client((options) -> options.attempts(2), busy, node(Scripts.value("red")), third);
		assertThat(client.get("k")).isPresent();
		assertThat(third.received()).isEmpty();
	}

	@Test
	void moreAttemptsThanTheRuleHasAreNotMade() {
		HostileServer node = node(Scripts.problem(503, "draining"));
		QuorateClient client = client((options) -> options.attempts(9), node);
		assertThat(caught(DrainingException.class, () -> client.get("k")).failures()).hasSize(2);
		caught(IllegalArgumentException.class, () -> client.get("k", (options) -> options.attempts(0)));
	}

	@Test
	void clientOfANodeAsksThisOneAlone() {
		HostileServer others = node(Scripts.value("red"));
		HostileServer node = node(Scripts.value("blue"), Scripts.problem(503, "draining"));
		QuorateClient client = client((options) -> options.ack(1), others);
		QuorateClient ofNode = client.at(node.url());
		assertThat(ofNode.get("k").orElseThrow().text()).isEqualTo("blue");
		caught(DrainingException.class, () -> ofNode.get("k"));
		assertThat(others.received()).isEmpty();
		assertThat(node.received()).hasSize(3).allSatisfy((each) -> assertThat(each.target()).endsWith("ack=1"));
		assertThat(client.get("k").orElseThrow().text()).isEqualTo("red");
		caught(IllegalArgumentException.class, client::at);
		ofNode.close();
		caught(IllegalStateException.class, () -> client.get("k"));
	}

	@Test
	void closedClientEndsTheCallsToOtherNodes() throws InterruptedException {
		HostileServer node = node(Scripts.STAND_STILL);
		QuorateClient client = opened(builder(unusedUrl()).connections(1).build());
		QuorateAsyncClient ofNode = client.at(node.url()).async();
		CompletableFuture<Optional<Entity>> underWay = ofNode.get("k");
		CompletableFuture<Optional<Entity>> waiting = ofNode.get("k");
		await(() -> !node.received().isEmpty());
		client.close();
		for (CompletableFuture<?> each : List.of(underWay, waiting)) {
			assertThat(caught(ExecutionException.class, () -> each.get(10 * SLOWNESS, TimeUnit.SECONDS)))
				.hasCauseInstanceOf(CallInterruptedException.class);
		}
	}

	@Test
	void answerOfANodeSaysMoreThanALostConnection() {
		HostileServer busy = node(Scripts.problem(503, "overloaded"), Scripts.CUT);
		QuorateException error = caught(OverloadedException.class, () -> client(busy, unusedUrl()).get("k"));
		assertThat(error.failures()).hasSize(3);
	}

	@Test
	void noNodeAnswers() {
		String url = unusedUrl();
		assertThat(caught(NoNodeAnsweredException.class, () -> client(url).put("k", "v")))
			.hasMessageStartingWith(url + ": no connection")
			.hasMessageNotContaining("Exception");
		assertThat(caught(NoNodeAnsweredException.class, () -> client(url).get("k")))
			.hasMessageContaining("no connection")
			.hasMessageNotContaining("Exception");
	}

	@Test
	void proxyWithoutANodeIsNoAnswer() {
		QuorateClient client = client(node(Scripts.BAD_GATEWAY));
		assertThat(caught(NoNodeAnsweredException.class, () -> client.get("k")))
			.hasMessageContaining("502 that is no problem document")
			.hasCauseInstanceOf(InvalidAnswerException.class);
		caught(NoNodeAnsweredException.class, () -> client.range(RangeQuery.all()).hasNext());
		caught(NoNodeAnsweredException.class, () -> client.batch(List.of(Get.of("k"))));
		// Such an answer does not take the place of what a node has said.
		caught(OverloadedException.class,
				() -> client(node(Scripts.problem(503, "overloaded"), Scripts.BAD_GATEWAY), node(Scripts.BAD_GATEWAY))
					.get("k"));
	}

	@Test
	void largestAnswerHidesNoRefusal() {
		HostileServer busy = node(Scripts.problem(503, "draining"));
		assertThat(client((options) -> options.maxAnswerSize(50), busy, node(Scripts.value("red"))).get("k"))
			.isPresent();
		assertThat(client((options) -> options.maxAnswerSize(50), busy, node(Scripts.written())).put("k", "v"))
			.isEqualTo(new Written("\"1\""));
	}

	@Test
	void redirectIsNotFollowed() {
		HostileServer target = node(Scripts.value("red"));
		HostileServer node = node(Scripts.answer(302, "", "Location: " + target.url() + "/"));
		caught(InvalidAnswerException.class, () -> client(node).get("k"));
		assertThat(target.received()).isEmpty();
	}

	@Test
	void nodeIsAskedAgainAfterThePauseThatItAsksFor() {
		HostileServer busy = node(Scripts.problem(503, "overloaded", "Retry-After: 1"), Scripts.written());
		long began = System.nanoTime();
		client(busy).put("k", "v");
		assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(1_000_000_000L);
	}

	@Test
	void clientsBeginWithDifferentNodes() {
		List<String> urls = List.of("http://a", "http://b", "http://c");
		assertThat(Stream.generate(() -> new Nodes(urls, true).order().get(0)).limit(200).distinct())
			.containsExactlyInAnyOrderElementsOf(urls);
		assertThat(new Nodes(urls, false).order()).isEqualTo(urls);
	}

}
