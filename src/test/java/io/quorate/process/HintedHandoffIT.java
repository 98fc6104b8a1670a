package io.quorate.process;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A node that was away has, soon after it is back and without anybody reading, what was
 * written meanwhile; also when those that took the writes were killed in between.
 */
@Tag(Scale.FULL)
class HintedHandoffIT {

	private static final int KEYS = Scale.of(300, 20_000);

	private static final Duration BACKLOG = Duration.ofMinutes(3);

	@Test
	void aNodeThatWasAwayGetsWhatItMissed(@TempDir Path home) throws Exception {
		try (ClusterProcesses cluster = ClusterProcesses.in(home, 3)
			.withHeap("192m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.start()) {
			writeAll(cluster);
			cluster.kill9("n2");
			changeAll(cluster, "n0");
			awaitOwed(cluster, "n0", 3 * KEYS);
			cluster.kill9("n0");
			cluster.restart("n0");
			awaitOwed(cluster, "n0", 3 * KEYS);
			await().atMost(BACKLOG)
				.until(() -> cluster.client("n1").with("replicas=2/3").get("changed-0").statusCode() == 200);
			addAll(cluster, "n1");
			awaitOwed(cluster, "n1", KEYS);

			long began = System.nanoTime();
			cluster.restart("n2");
			awaitOwed(cluster, "n0", 0);
			awaitOwed(cluster, "n1", 0);
			Scale.report("HintedHandoffIT: %d hints were handed over within %d ms of the start of their node"
				.formatted(4 * KEYS, Duration.ofNanos(System.nanoTime() - began).toMillis()));
			assertThat(dropped(cluster, "n0") + dropped(cluster, "n1")).isZero();

			cluster.kill9("n0");
			cluster.kill9("n1");
			requireAll(cluster.client("n2").with("replicas=1/3"));
			assertThat(cluster.alarms()).isEmpty();
		}
	}

	@Test
	void withoutHintsNothingIsKept(@TempDir Path home) throws Exception {
		try (ClusterProcesses cluster = ClusterProcesses.in(home, 3)
			.withHeap("192m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.with("quorate.repair.hints.enabled", "false")
			.start()) {
			cluster.kill9("n2");
			NodeClient client = cluster.client("n0").with("replicas=2/3");
			assertThat(client.put("key", new byte[1]).statusCode()).isEqualTo(201);
			assertThat(meters(cluster, "n0").text()).doesNotContain("quorate_hints_");
			assertThat(cluster.node("n0").data().resolve("hints")).doesNotExist();
		}
	}

	/** What all three nodes hold before one of them goes. */
	private static void writeAll(ClusterProcesses cluster) throws Exception {
		NodeClient client = cluster.client("n0").with("replicas=3/3");
		for (int number = 0; number < KEYS; number++) {
			assertThat(client.put("deleted-" + number, bytes("old")).statusCode()).isEqualTo(201);
			assertThat(client.put("expired-" + number, bytes("old")).statusCode()).isEqualTo(201);
			assertThat(client.put("changed-" + number, bytes("old")).statusCode()).isEqualTo(201);
		}
	}

	private static void changeAll(ClusterProcesses cluster, String node) throws Exception {
		NodeClient client = cluster.client(node).with("replicas=2/3");
		NodeClient brief = client.with("ttl=1");
		for (int number = 0; number < KEYS; number++) {
			assertThat(client.delete("deleted-" + number).statusCode()).isEqualTo(202);
			assertThat(brief.put("expired-" + number, bytes("brief")).statusCode()).isEqualTo(201);
			assertThat(client.put("changed-" + number, value(number)).statusCode()).isEqualTo(201);
		}
	}

	private static void addAll(ClusterProcesses cluster, String node) throws Exception {
		NodeClient client = cluster.client(node).with("replicas=2/3");
		for (int number = 0; number < KEYS; number++) {
			assertThat(client.put("added-" + number, value(number)).statusCode()).isEqualTo(201);
		}
	}

	private static void requireAll(NodeClient client) throws Exception {
		for (int number = 0; number < KEYS; number++) {
			assertThat(client.get("deleted-" + number).statusCode()).as("deleted-%d", number).isEqualTo(404);
			assertThat(client.get("expired-" + number).statusCode()).as("expired-%d", number).isEqualTo(404);
			requireValue(client, "changed-" + number, number);
			requireValue(client, "added-" + number, number);
		}
	}

	private static void requireValue(NodeClient client, String key, int number) throws Exception {
		NodeAnswer answer = client.get(key);
		assertThat(answer.statusCode()).as("%s: %s", key, NodeClient.text(answer)).isEqualTo(200);
		assertThat(answer.body()).as(key).isEqualTo(value(number));
	}

	/* Some are kept apart from the tables, and go the way of large messages. */
	private static byte[] value(int number) {
		return Contents.of("value", number, (number % 50 == 49) ? 100_000 : 100);
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static void awaitOwed(ClusterProcesses cluster, String node, int hints) {
		await().atMost(BACKLOG)
			.pollInterval(Duration.ofMillis(50))
			.untilAsserted(() -> assertThat(meters(cluster, node).sumOfSome("quorate_hints_owed", "peer=\"n2\""))
				.isEqualTo(hints));
	}

	private static double dropped(ClusterProcesses cluster, String node) throws Exception {
		return meters(cluster, node).sumOfSome("quorate_hints_dropped_total");
	}

	private static MeterReadings meters(ClusterProcesses cluster, String node) throws Exception {
		return MeterReadings.of(cluster.client(node));
	}

}
