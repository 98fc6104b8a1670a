package io.quorate.client;

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

import static org.assertj.core.api.Assertions.assertThat;

/** Deadlines: of the whole call, of a silent node, of each record of a range. */
class DeadlineTests extends HostileTests {

	private static final String HEAD = Scripts.head(200, "ETag: \"1\"", "Content-Length: 1000");

	private static final String BODY = HEAD + "x".repeat(1_000);

	private static Map<String, Script> slow() {
		Map<String, Script> scripts = new LinkedHashMap<>();
		scripts.put("no byte comes", Scripts.STAND_STILL);
		scripts.put("the head trickles", Scripts
			.trickle(Scripts.head(200, "ETag: \"1\"", "X: " + "x".repeat(1_000), "Content-Length: 0"), 20, 0));
		scripts.put("the body stands still", Scripts.standStillAfter(HEAD + "x"));
		scripts.put("the body trickles", Scripts.trickle(BODY, 20, 0));
		scripts.put("the body trickles behind its head", Scripts.trickle(BODY, 20, HEAD.length()));
		scripts.put("the chunks trickle", Scripts.trickle(
				Scripts.head(200, "ETag: \"1\"", "Transfer-Encoding: chunked") + "1\r\nx\r\n".repeat(1_000), 20, 0));
		return scripts;
	}

	static Stream<String> slowNames() {
		return slow().keySet().stream();
	}

	@ParameterizedTest
	@MethodSource("slowNames")
	void deadlineHasTheWholeAnswer(String name) {
		QuorateClient client = client(deadline(600), node(Objects.requireNonNull(slow().get(name))));
		Duration time = timeUntil(DeadlineExceededException.class, () -> client.get("k"));
		assertThat(time).isBetween(millis(500), millis(600).plus(SLACK));
	}

	@Test
	void deadlineHasAllNodes() {
		Script trickling = Scripts.trickle(BODY, 20, HEAD.length());
		HostileServer first = node(trickling);
		HostileServer second = node(trickling);
		QuorateClient client = client((options) -> options.deadline(millis(1_000)).stallTimeout(millis(400)), deafUrl(),
				first, second);
		Duration time = timeUntil(DeadlineExceededException.class, () -> client.get("k"));
		assertThat(time).isBetween(millis(900), millis(1_000).plus(SLACK));
		assertThat(first.received()).hasSize(1);
		assertThat(second.received()).isEmpty();
	}

	@Test
	void deadlineHasTheConnection() {
		QuorateClient client = client(deadline(600), deafUrl());
		Duration time = timeUntil(DeadlineExceededException.class, () -> client.put("k", "v"));
		assertThat(time).isBetween(millis(500), millis(600).plus(SLACK));
	}

	@Test
	void deadlineHasTheHandshakeOfTls() {
		// The process takes the connection, and says no word of TLS: it has nothing of
		// the request.
		String url = node(Scripts.STAND_STILL).url().replace("http:", "https:");
		QuorateClient client = client(deadline(600), url);
		Duration time = timeUntil(DeadlineExceededException.class, () -> client.put("k", "v"));
		assertThat(time).isBetween(millis(500), millis(600).plus(SLACK));
	}

	@Test
	void writeThatWasSentIsUnknownAtTheDeadline() {
		QuorateClient client = client(deadline(1_000), node(Scripts.STAND_STILL));
		Duration time = timeUntil(OutcomeUnknownException.class, () -> client.put("k", "v"));
		assertThat(time).isBetween(millis(900), millis(1_000).plus(SLACK));
	}

	@Test
	void silenceEndsAnAttempt() {
		QuorateClient client = client((options) -> options.deadline(millis(20_000)).stallTimeout(millis(400)),
				node(Scripts.standStillAfter(HEAD + "x")), node(Scripts.value("red")));
		long began = System.nanoTime();
		assertThat(client.get("k")).isPresent();
		assertThat(Duration.ofNanos(System.nanoTime() - began)).isBetween(millis(300), millis(400).plus(SLACK));
		QuorateClient other = client((options) -> options.deadline(millis(20_000)).stallTimeout(millis(400)),
				node(Scripts.STAND_STILL));
		assertThat(timeUntil(NoNodeAnsweredException.class, () -> other.get("k"))).isBetween(millis(800),
				millis(1_000).plus(SLACK));
	}

	@Test
	void nodeThatTakesNoConnectionIsLeftInItsTime() {
		HostileServer slow = node(Scripts.late(600 * SLOWNESS, Scripts.value("red")));
		QuorateClient client = opened(builder(deafUrl(), slow).connectTimeout(millis(300)).build());
		long began = System.nanoTime();
		assertThat(client.get("k")).isPresent();
		// The stall timeout of 5 s has not passed, and the answer had more than 300 ms.
		assertThat(Duration.ofNanos(System.nanoTime() - began)).isBetween(millis(850), millis(900).plus(SLACK));
		caught(IllegalArgumentException.class, () -> QuorateClient.builder().connectTimeout(Duration.ZERO));
	}

	@Test
	void bytesThatComeInTimeAreNoSilence() {
		String head = Scripts.head(200, "ETag: \"1\"", "Content-Length: 20");
		HostileServer server = node(Scripts.trickle(head + "x".repeat(20), 50 * SLOWNESS, head.length()));
		assertThat(client(stall(500), server).get("k").orElseThrow().value()).hasSize(20);
	}

	@Test
	void nodeHasTheTimeThatItWasGiven() {
		HostileServer server = node(Scripts.late(600 * SLOWNESS, Scripts.value("red")));
		QuorateClient client = client(
				(options) -> options.stallTimeout(millis(200)).nodeTimeout(Duration.ofSeconds(20 * SLOWNESS)), server);
		assertThat(client.get("k")).isPresent();
		assertThat(server.received()).hasSize(1);
	}

	@Test
	void noPauseOutlastsTheDeadline() {
		QuorateClient client = client(node(Scripts.problem(503, "overloaded", "Retry-After: 3000")));
		assertThat(timeUntil(OverloadedException.class, () -> client.get("k"))).isLessThan(SLACK);
	}

	private static final String[] RECORDS = Stream.of("k0", "k1", "k2")
		.map((key) -> "{\"key\":\"" + key + "\",\"etag\":\"1\",\"value\":\"eA==\"}")
		.toArray(String[]::new);

	@Test
	void rangeHasTheDeadlineForEachRecord() {
		HostileServer server = node((connection, request) -> {
			connection.send(Scripts.bytes(Scripts.begunLines(RECORDS)));
			connection.pause(4_000 * SLOWNESS);
			connection.send(Scripts.bytes(Scripts.chunks("{\"last\":true,\"records\":3}\n") + "0\r\n\r\n"));
		});
		try (RangeIterator<RangeRecord> range = client(deadline(500), server).range(RangeQuery.all().pageSize(3))) {
			assertThat(range.hasNext()).isTrue();
			caught(IncompleteRangeException.class, () -> {
				while (range.hasNext()) {
					range.next();
				}
			});
		}
	}

	@Test
	void timeOfTheCallerIsNotThatOfTheRange() throws InterruptedException {
		HostileServer server = node(new RangeStore("a", "b", "c", "d"));
		int count = 0;
		try (RangeIterator<RangeRecord> range = client(deadline(500), server).range(RangeQuery.all().pageSize(1))) {
			while (range.hasNext()) {
				range.next();
				// Longer than the deadline, while there are requests still to be made.
				Thread.sleep(millis(700).toMillis());
				count++;
			}
		}
		assertThat(count).isEqualTo(4);
		assertThat(server.received()).hasSize(4);
	}

	@Test
	void rangeThatStandsStillIsIncomplete() {
		QuorateClient client = client(deadline(600), node(Scripts.standStillAfter(Scripts.begunLines(RECORDS))));
		try (RangeIterator<RangeRecord> range = client.range(RangeQuery.all())) {
			assertThat(List.of(range.next().key(), range.next().key(), range.next().key())).containsExactly("k0", "k1",
					"k2");
			Duration time = timeUntil(IncompleteRangeException.class, range::hasNext);
			assertThat(time).isBetween(millis(400), millis(600).plus(SLACK));
		}
	}

	@Test
	void recordThatTricklesIsIncomplete() {
		String line = Scripts.begunLines("{\"key\":\"k\",\"etag\":\"1\",\"value\":\"" + "eA==".repeat(1_000) + "\"}");
		QuorateClient client = client(deadline(600), node(Scripts.trickle(line, 10, 150)));
		Duration time = timeUntil(IncompleteRangeException.class, () -> client.range(RangeQuery.all()).hasNext());
		assertThat(time).isBetween(millis(500), millis(600).plus(SLACK));
	}

}
