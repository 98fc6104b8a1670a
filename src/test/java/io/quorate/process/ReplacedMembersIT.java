package io.quorate.process;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A cluster all of whose first members were replaced grows on, through any member. */
@Tag(Scale.FULL)
class ReplacedMembersIT {

	private static final int KEYS = 40;

	@TempDir
	Path home;

	@Test
	void aClusterWithoutItsFirstMembersGrowsOn() throws Exception {
		try (ChangingCluster cluster = ChangingCluster.start(this.home, 5)) {
			put(cluster, "n0");
			replace(cluster, "n0", "n3", "n1", List.of("n1", "n2", "n3"));
			// The candidate knows n2, and not the member that is asked.
			replace(cluster, "n1", "n4", "n3", List.of("n2", "n3", "n4"));
			replace(cluster, "n2", "n5", "n4", List.of("n3", "n4", "n5"));

			cluster.startCandidate("n6");
			String refused = cluster.refusal("n3", "add", "\"member\":\"%s\"".formatted(cluster.address("n6")));
			assertThat(refused).contains("n6@127.0.0.1", "by n4, n5: the id of the node that connects differs",
					"have its quorate.cluster.seeds name one");
			cluster.discard("n6");

			cluster.processes().one("n6", (node) -> node.with("quorate.cluster.seeds", cluster.address("n5")));
			add(cluster, "n6", "n3", List.of("n3", "n4", "n5", "n6"));
			cluster.processes().one("n7", (node) -> node.with("quorate.cluster.seeds", cluster.address("n6")));
			add(cluster, "n7", "n6", List.of("n3", "n4", "n5", "n6", "n7"));

			// Its seed has nothing to say about a member.
			cluster.processes().terminate("n6");
			cluster.processes().start("n6");
			cluster.awaitReady("n6");
			for (int i = 0; i < KEYS; i++) {
				assertThat(client(cluster, "n6").get("key-" + i).body()).as("key-%d", i).isEqualTo(value(i));
			}
			assertThat(cluster.alarms()).isEmpty();
			assertThat(cluster.rebuilds()).isEmpty();
		}
	}

	private static void replace(ChangingCluster cluster, String goes, String comes, String through,
			List<String> members) throws Exception {
		cluster.startCandidate(comes);
		long begun = cluster.begin(through, "replace",
				"\"member\":\"%s\",\"node\":\"%s\"".formatted(goes, cluster.address(comes)));
		cluster.awaitStable(begun + 1, members.toArray(String[]::new));
		cluster.processes().terminate(goes);
		cluster.awaitReady(comes);
	}

	private static void add(ChangingCluster cluster, String comes, String through, List<String> members)
			throws Exception {
		cluster.startCandidate(comes);
		long begun = cluster.add(through, comes);
		cluster.awaitStable(begun + 1, members.toArray(String[]::new));
		cluster.awaitReady(comes);
	}

	private static void put(ChangingCluster cluster, String through) throws Exception {
		for (int i = 0; i < KEYS; i++) {
			assertThat(client(cluster, through).put("key-" + i, value(i)).statusCode()).isEqualTo(201);
		}
	}

	private static NodeClient client(ChangingCluster cluster, String name) {
		return cluster.processes().client(name).with("replicas=2/3");
	}

	private static byte[] value(int key) {
		return ("value " + key).getBytes(StandardCharsets.UTF_8);
	}

}
