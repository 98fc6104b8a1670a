package io.quorate.process;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A node that has run alone, without members and with data, becomes a cluster of three
 * with three copies under a mixed load: no request fails, no acknowledged write is lost,
 * nothing deleted comes back, and no node is rebuilt. Then the first node loses its
 * directory: without seeds it is found out by the others, and with seeds it is rebuilt.
 */
@Tag(Scale.FULL)
class SingleNodeGrowthIT {

	private static final String NAME = "SingleNodeGrowthIT";

	private static final int KEYS = Scale.of(300, 3_000);

	private static final String SEED = "n1";

	private static final Duration LIMIT = Duration.ofMinutes(3);

	/* Longer than a generation of the history of a member that takes writes. */
	private static final Duration AWAY = Duration.ofSeconds(6);

	/* Of the time alone: null for what was deleted. */
	private final Map<String, byte @Nullable []> written = new TreeMap<>();

	@Test
	void oneNodeBecomesThreeWhileItServes(@TempDir Path home) throws Exception {
		try (ChangingCluster cluster = ChangingCluster.startAlone(home, 2)) {
			writeAndDelete(cluster.processes().client("n0"));
			assertThat(NodeClient.text(cluster.ask("n0", "add", "\"member\":\"n1@127.0.0.1:7101\"")))
				.contains("this node has no address for other members");
			// Its files have what was purged at once, and its log what was not.
			cluster.processes().terminate("n0");
			cluster.withAddress();
			cluster.processes().start("n0");
			cluster.awaitReady("n0");
			try (MixedLoad load = MixedLoad.through(cluster.processes(), new SplittableRandom(Scale.seed(NAME)),
					"n0")) {
				cluster.startCandidate("n1");
				meet(cluster);
				grow(cluster, load);
				Scale.report("%s: one node to three, %s".formatted(NAME, load.end("n0", "n1", "n2")));
			}
			requireWritten(cluster, "n0", "n1", "n2");
			assertThat(cluster.alarms()).isEmpty();
			assertThat(cluster.rebuilds()).isEmpty();
			loseTheFirst(cluster);
		}
	}

	/*
	 * A candidate that has heard of the member is away while the member's history goes
	 * on. It has heard of it when it has met the majority: of its list, which is followed
	 * by a layout that only the member can show.
	 */
	private static void meet(ChangingCluster cluster) throws Exception {
		String candidate = "\"member\":\"%s\",\"dryRun\":true".formatted(cluster.address("n1"));
		HttpResponse<byte[]> tried = cluster.inTime("n0", "add", candidate);
		assertThat(tried.statusCode()).as(NodeClient.text(tried)).isEqualTo(200);
		NodeClient guest = cluster.processes().client("n1");
		await().atMost(LIMIT)
			.until(() -> NodeClient.text(guest.getPath("/actuator/health")).contains("\"metMajority\":true"));
		cluster.processes().terminate("n1");
		new Pace(AWAY).await();
		cluster.startCandidate("n1");
	}

	private static void grow(ChangingCluster cluster, MixedLoad load) throws Exception {
		long added = cluster.add("n0", "n1");
		cluster.awaitStable(added + 1, "n0", "n1");
		cluster.awaitReady("n1");
		load.trust("n1");
		cluster.startCandidate("n2");
		added = cluster.add("n1", "n2");
		cluster.awaitStable(added + 1, "n0", "n1", "n2");
		cluster.awaitReady("n2");
		load.trust("n2");
		for (int factor = 2; factor <= 3; factor++) {
			long begun = cluster.begin("n2", "replication", "\"factor\":%d".formatted(factor));
			cluster.awaitStable(begun + 1, "n0", "n1", "n2");
		}
		assertThat(cluster.status("n1")).contains("\"replicationFactor\":3,");
	}

	/* Its first list of members has no other node that could say what it has lost. */
	private void loseTheFirst(ChangingCluster cluster) throws Exception {
		cluster.processes().terminate("n0");
		cluster.processes().restartWiped("n0");
		await().atMost(LIMIT)
			.untilAsserted(() -> assertThat(cluster.status("n0"))
				.contains("it has lost its directory, or has an old one, and serves nothing"));
		assertThat(cluster.ready("n0")).isEqualTo(503);
		requireNoWrite(cluster.processes().client("n0"));

		cluster.processes().terminate("n0");
		cluster.processes().terminate(SEED);
		cluster.processes().wipe("n0");
		cluster.processes().one("n0", (node) -> node.with("quorate.cluster.seeds", cluster.address(SEED)));
		cluster.processes().start("n0");
		assertThat(cluster.ready("n0")).as("its seed is away").isEqualTo(503);
		assertThat(cluster.status("n0")).contains("none of quorate.cluster.seeds has shown it yet");
		requireNoWrite(cluster.processes().client("n0"));
		cluster.processes().start(SEED);
		cluster.awaitReady(SEED);
		cluster.awaitReady("n0");
		assertThat(cluster.processes().node("n0").logOfThisStart()).contains("This node is rebuilt");
		assertThat(cluster.rebuilds()).as("of the first node alone").hasSize(1);
		requireWritten(cluster, "n0");
	}

	/* A coordinator waits for a layout as long as a request may. */
	private static void requireNoWrite(NodeClient client) throws Exception {
		assertThat(client.within(Duration.ofSeconds(1)).put("alone", new byte[1]).statusCode()).isEqualTo(503);
	}

	private void writeAndDelete(NodeClient client) throws Exception {
		for (int i = 0; i < KEYS; i++) {
			put(client, "alone-" + i, "first");
		}
		for (int i = 0; i < KEYS; i += 3) {
			assertThat(client.delete("alone-" + i).statusCode()).isEqualTo(202);
			this.written.put("alone-" + i, null);
		}
		for (int i = 0; i < KEYS; i += 2) {
			put(client, "alone-" + i, "second");
		}
	}

	private void put(NodeClient client, String key, String value) throws Exception {
		byte[] content = (value + " value of " + key).getBytes(StandardCharsets.UTF_8);
		assertThat(client.put(key, content).statusCode()).isEqualTo(201);
		this.written.put(key, content);
	}

	/* By the copy of one node alone, too. */
	private void requireWritten(ChangingCluster cluster, String... names) throws Exception {
		for (String name : names) {
			for (String replicas : new String[] { "replicas=2/3", "replicas=1/3" }) {
				NodeClient client = cluster.processes().client(name).with(replicas);
				for (Map.Entry<String, byte @Nullable []> each : this.written.entrySet()) {
					NodeAnswer answer = client.get(each.getKey());
					byte[] value = each.getValue();
					assertThat(answer.statusCode()).as("%s by %s through %s", each.getKey(), replicas, name)
						.isEqualTo((value != null) ? 200 : 404);
					if (value != null) {
						assertThat(answer.body()).as("%s through %s", each.getKey(), name).isEqualTo(value);
					}
				}
			}
		}
	}

}
