package io.quorate.process;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

import io.quorate.entry.Key;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The places of copies: exactly the nodes that the ring names, however few of them the
 * client waited for, and whether it waited at all. A node's own copy is the one that it
 * answers with while all other nodes are frozen.
 */
class ClusterCopiesIT extends SharedCluster {

	private static final int KEYS = 40;

	/* Of reads that the node answers alone, or not at all. */
	private static final Duration ALONE = Duration.ofMillis(500);

	private final Ring ring = Ring.of(List.of(Member.of("n0"), Member.of("n1"), Member.of("n2")), NODES);

	@Test
	void oneOfThreeLeavesThreeCopies() throws Exception {
		for (int number = 0; number < KEYS; number++) {
			String key = "one-of-three-" + number;
			assertThat(client("n" + number % NODES, "1/3").put(key, value(key)).statusCode()).isEqualTo(201);
		}
		await().atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(50))
			.until(() -> isReadThroughAllNodes("one-of-three-"));
		requireHolders("one-of-three-", (_) -> this.cluster.names());
	}

	@Test
	void aClientThatLeavesAtOnceLeavesThreeCopies() throws Exception {
		for (int number = 0; number < KEYS; number++) {
			String key = "left-" + number;
			client("n" + number % NODES, "1/3").putAndLeave(key, value(key));
		}
		await().atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).until(() -> {
			leaveAgainWhereANodeStoodStill();
			return isReadThroughAllNodes("left-");
		});
		requireHolders("left-", (_) -> this.cluster.names());
	}

	/* Such a node does nothing for a connection that was closed meanwhile. */
	private void leaveAgainWhereANodeStoodStill() throws Exception {
		for (int number = 0; number < KEYS; number++) {
			String key = "left-" + number;
			NodeClient client = client("n" + number % NODES, "1/3");
			if (client.get(key).statusCode() == 404 && hasStoodStill(MeterReadings.of(client))) {
				client.putAndLeave(key, value(key));
			}
		}
	}

	private static boolean hasStoodStill(MeterReadings readings) {
		String lag = "quorate_event_loop_lag_seconds_";
		return readings.sumOfSome(lag + "count") > readings.sumOfSome(lag + "bucket", "le=\"0.1\"");
	}

	/*
	 * With one answer, which is the node's own: more of them would repair what is
	 * missing.
	 */
	private boolean isReadThroughAllNodes(String prefix) throws Exception {
		for (int number = 0; number < KEYS; number++) {
			for (String node : this.cluster.names()) {
				if (client(node, "1/3").get(prefix + number).statusCode() != 200) {
					return false;
				}
			}
		}
		return true;
	}

	@Test
	void copiesAreOnTheFirstNodesOfThePreferenceList() throws Exception {
		Map<Integer, String> prefixes = new TreeMap<>(Map.of(1, "single-", 2, "double-"));
		for (Map.Entry<Integer, String> copies : prefixes.entrySet()) {
			for (int number = 0; number < KEYS; number++) {
				String key = copies.getValue() + number;
				String all = copies.getKey() + "/" + copies.getKey();
				assertThat(client("n" + number % NODES, all).put(key, value(key)).statusCode()).isEqualTo(201);
				for (String reader : this.cluster.names()) {
					assertThat(client(reader, all).get(key).body()).isEqualTo(value(key));
				}
			}
		}
		requireHolders("single-", (key) -> preferred(key, 1));
		requireHolders("double-", (key) -> preferred(key, 2));
	}

	@Test
	void aWriteWithMoreCopiesKeepsThoseOfFewer() throws Exception {
		for (int from = 1; from <= NODES; from++) {
			for (int number = 0; number < KEYS; number++) {
				String key = "growing-" + number;
				assertThat(client("n" + (number + from) % NODES, from + "/" + from).put(key, value(key)).statusCode())
					.isEqualTo(201);
			}
			int copies = from;
			requireHolders("growing-", (key) -> preferred(key, copies));
		}
	}

	@Test
	void aSingleCopyIsGoneWithItsNodeAndBackWithIt() throws Exception {
		List<String> keys = new ArrayList<>();
		for (int number = 0; keys.size() < 5; number++) {
			if (preferred("lonely-" + number, 1).contains("n1")) {
				keys.add("lonely-" + number);
			}
		}
		for (String key : keys) {
			assertThat(client("n0", "1/1").put(key, value(key)).statusCode()).isEqualTo(201);
		}
		this.cluster.kill9("n1");
		for (String key : keys) {
			for (NodeAnswer answer : List.of(client("n0", "1/1").get(key),
					client("n2", "1/1").put(key, value("lost")))) {
				assertThat(answer.statusCode()).as(NodeClient.text(answer)).isEqualTo(504);
				assertThat(NodeClient.text(answer)).doesNotContain("timeout");
			}
		}
		this.cluster.restart("n1");
		this.cluster.awaitConnected();
		for (String key : keys) {
			assertThat(client("n2", "1/1").get(key).body()).isEqualTo(value(key));
		}
	}

	private void requireHolders(String prefix, Function<String, List<String>> expected) throws Exception {
		for (String node : this.cluster.names()) {
			this.cluster.freezeOthers(node);
			List<String> held = new ArrayList<>();
			List<String> wanted = new ArrayList<>();
			for (int number = 0; number < KEYS; number++) {
				String key = prefix + number;
				NodeClient alone = this.cluster.client(node).with("replicas=1/3").within(ALONE).patient();
				int status = alone.get(key).statusCode();
				assertThat(status).as("%s at %s", key, node).isIn(200, 404);
				if (status == 200) {
					held.add(key);
				}
				if (expected.apply(key).contains(node)) {
					wanted.add(key);
				}
			}
			assertThat(held).as("what %s holds", node).isEqualTo(wanted);
			this.cluster.heal();
		}
	}

	private List<String> preferred(String key, int copies) {
		return List.copyOf(new TreeSet<>(
				this.ring.preferenceList(Key.of(key)).subList(0, copies).stream().map(Member::id).toList()));
	}

	private NodeClient client(String node, String replicas) {
		return this.cluster.client(node).with("replicas=" + replicas);
	}

	private static byte[] value(String key) {
		return ("value of " + key).getBytes(StandardCharsets.UTF_8);
	}

}
