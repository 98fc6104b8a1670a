package io.quorate.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import io.quorate.process.AbandonedPut.Leaving;
import io.quorate.process.AbandonedPut.Sending;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * One of three nodes is frozen while clients write to it that give up or wait, and
 * another client writes the same keys through another node. Nothing that came for the
 * frozen node too late is done when it goes on.
 */
@Tag(Scale.FULL)
class FrozenNodeIT {

	private static final String FROZEN = "n2";

	private static final int ROUNDS = Scale.of(3, 30);

	/* Within it a request may be done when the node goes on, if its client is there. */
	private static final Duration DEADLINE = Duration.ofSeconds(1);

	/* The clients that leave do so after half of it. */
	private static final List<Duration> FIRST_FREEZES = List.of(Duration.ofSeconds(4), Duration.ofMillis(600),
			Duration.ofMillis(2500));

	private static final int LEAST_FREEZE_MILLIS = 1200;

	private static final int MOST_FREEZE_MILLIS = 9000;

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private static final Duration WATCHED = Duration.ofSeconds(Scale.of(0, 4));

	/* Those by which the test asks for their number. */
	private static final int OWN = 2;

	private final List<String> keys = new ArrayList<>();

	private int late;

	@Test
	void nothingIsDoneTooLateWhenANodeGoesOn(@TempDir Path home) throws Exception {
		SplittableRandom random = new SplittableRandom(Scale.seed("FrozenNodeIT"));
		try (ClusterProcesses cluster = ClusterProcesses.in(home, 3)
			.withHeap("128m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.start()) {
			for (int round = 0; round < ROUNDS; round++) {
				Duration freeze = (round < FIRST_FREEZES.size()) ? FIRST_FREEZES.get(round)
						: Duration.ofMillis(random.nextInt(LEAST_FREEZE_MILLIS, MOST_FREEZE_MILLIS));
				freeze(cluster, round, freeze);
			}
			awaitEndOfConnections(cluster);
			requireSecond(cluster, this.keys);
			assertThat(cluster.alarms()).isEmpty();
		}
		Scale.report("FrozenNodeIT: %d requests abandoned or late, of which %d were answered 503"
			.formatted(this.keys.size(), this.late));
		assertThat(this.late).isPositive();
	}

	private void freeze(ClusterProcesses cluster, int round, Duration freeze) throws Exception {
		List<AbandonedPut> requests = requests(cluster.node(FROZEN), round, freeze);
		try {
			List<String> ofRound = requests.stream().map(AbandonedPut::key).toList();
			putAll(cluster, ofRound, "first");
			for (AbandonedPut request : requests) {
				request.prepare();
			}
			cluster.freeze(FROZEN);
			Pace half = new Pace(freeze.dividedBy(2));
			for (AbandonedPut request : requests) {
				request.send();
			}
			half.await();
			for (AbandonedPut request : requests) {
				request.leave();
			}
			putAll(cluster, ofRound, "second");
			half.await();
			cluster.thaw(FROZEN);
			this.keys.addAll(ofRound);
			requireRefused(requests, freeze);
			requireSecondToStay(cluster, ofRound);
		}
		finally {
			for (AbandonedPut request : requests) {
				request.close();
			}
		}
	}

	/* A node that has closed a connection has read all that came on it. */
	private static void awaitEndOfConnections(ClusterProcesses cluster) {
		await().atMost(PATIENCE)
			.until(() -> MeterReadings.of(cluster.client(FROZEN)).sumOfSome("quorate_api_connections") <= OWN);
	}

	/** Of each kind one, each with a key of its own. */
	private static List<AbandonedPut> requests(NodeProcess node, int round, Duration freeze) {
		List<AbandonedPut> requests = new ArrayList<>();
		for (Sending sending : Sending.values()) {
			for (Leaving leaving : Leaving.values()) {
				boolean mayBeDone = leaving == Leaving.NEVER && freeze.compareTo(DEADLINE) < 0;
				boolean neverEnds = leaving == Leaving.NEVER && sending == Sending.HALF;
				if (!mayBeDone && !neverEnds) {
					String key = "frozen-%d-%s-%s".formatted(round, sending, leaving);
					requests.add(new AbandonedPut(node, key, DEADLINE, sending, leaving));
				}
			}
		}
		return requests;
	}

	private static void putAll(ClusterProcesses cluster, List<String> keys, String value) throws Exception {
		NodeClient client = cluster.client("n0");
		for (String key : keys) {
			assertThat(client.put(key, value.getBytes(StandardCharsets.UTF_8)).statusCode()).as(key).isEqualTo(201);
			assertThat(NodeClient.text(client.get(key))).as(key).isEqualTo(value);
		}
	}

	private void requireRefused(List<AbandonedPut> requests, Duration freeze) throws IOException {
		for (AbandonedPut request : requests) {
			if (request.waits()) {
				String status = request.status();
				assertThat(status).as("%s after a freeze of %s", request.key(), freeze)
					.isIn("HTTP/1.1 503", AbandonedPut.CLOSED);
				this.late += AbandonedPut.CLOSED.equals(status) ? 0 : 1;
			}
		}
	}

	/* All that waited in the sockets has been read when the node serves all this. */
	private static void requireSecondToStay(ClusterProcesses cluster, List<String> keys) throws Exception {
		NodeClient frozen = cluster.client(FROZEN);
		await().atMost(PATIENCE)
			.until(() -> frozen.getPath("/actuator/health/readiness").statusCode() == 200
					&& frozen.with("replicas=3/3").put("after", new byte[1]).statusCode() == 201);
		for (String key : keys) {
			requireSecond(cluster, key, "2/3");
			await().atMost(PATIENCE).untilAsserted(() -> requireSecond(cluster, key, "1/3"));
		}
		long end = System.nanoTime() + WATCHED.toNanos();
		do {
			requireSecond(cluster, keys);
		}
		while (System.nanoTime() < end);
	}

	private static void requireSecond(ClusterProcesses cluster, List<String> keys) throws Exception {
		for (String key : keys) {
			requireSecond(cluster, key, "1/3");
			requireSecond(cluster, key, "2/3");
		}
	}

	/* With 1/3 each node answers what it holds itself. */
	private static void requireSecond(ClusterProcesses cluster, String key, String replicas)
			throws IOException, InterruptedException {
		for (String name : cluster.names()) {
			NodeAnswer answer = cluster.client(name).with("replicas=" + replicas).get(key);
			assertThat(NodeClient.text(answer)).as("%s of %s through %s", key, replicas, name).isEqualTo("second");
		}
	}

}
