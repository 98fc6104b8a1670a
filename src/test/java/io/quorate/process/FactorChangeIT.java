package io.quorate.process;

import java.nio.file.Path;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The replication factor changes under a mixed load, down to two replicas and up to as
 * many as there are members: no request fails, no acknowledged write is lost or goes
 * back, nothing deleted comes back, and at last each member holds everything.
 */
@Tag(Scale.FULL)
class FactorChangeIT {

	private static final String NAME = "FactorChangeIT";

	private static final int ROUNDS = Scale.of(1, 5);

	/* With all copies the members have three; some have a fourth in the full form. */
	private static final int CANDIDATES = Scale.of(0, 2);

	private static final int FIRST_FACTOR = 3;

	@Test
	void theFactorChangesWhileAClusterServes(@TempDir Path home) throws Exception {
		SplittableRandom random = new SplittableRandom(Scale.seed(NAME));
		try (ChangingCluster cluster = ChangingCluster.start(home, CANDIDATES);
				MixedLoad load = MixedLoad.through(cluster.processes(), random, "n0", "n1", "n2")) {
			for (int candidate = 0; candidate < CANDIDATES; candidate++) {
				String name = "n" + (FIRST_FACTOR + candidate);
				cluster.startCandidate(name);
				long added = cluster.add("n0", name);
				cluster.awaitStable(added + 1, members(FIRST_FACTOR + candidate + 1));
			}
			for (int round = 0; round < ROUNDS; round++) {
				for (int factor = FIRST_FACTOR - 1; factor >= 2; factor--) {
					change(cluster, factor);
				}
				for (int factor = FIRST_FACTOR; factor <= FIRST_FACTOR + CANDIDATES; factor++) {
					change(cluster, factor);
				}
				for (int factor = FIRST_FACTOR + CANDIDATES - 1; factor >= FIRST_FACTOR; factor--) {
					change(cluster, factor);
				}
			}
			for (int factor = FIRST_FACTOR + 1; factor <= FIRST_FACTOR + CANDIDATES; factor++) {
				change(cluster, factor);
			}
			Scale.report("%s: %d times up and down, %s".formatted(NAME, ROUNDS, load.end("n0", "n1", "n2")));
			await().atMost(ChangingCluster.LIMIT)
				.untilAsserted(() -> assertThat(digests(cluster)).as("of all members").hasSize(1));
			assertThat(cluster.alarms()).isEmpty();
			assertThat(cluster.rebuilds()).isEmpty();
		}
	}

	private static String[] members(int count) {
		String[] names = new String[count];
		for (int i = 0; i < count; i++) {
			names[i] = "n" + i;
		}
		return names;
	}

	private static void change(ChangingCluster cluster, int factor) throws Exception {
		long begun = cluster.begin("n1", "replication", "\"factor\":%d".formatted(factor));
		cluster.awaitStable(begun + 1, members(FIRST_FACTOR + CANDIDATES));
		assertThat(cluster.status("n2")).contains("\"replicationFactor\":%d,".formatted(factor));
	}

	private static Set<String> digests(ChangingCluster cluster) throws Exception {
		Set<String> digests = new TreeSet<>();
		for (String name : members(FIRST_FACTOR + CANDIDATES)) {
			digests.add(NodeClient.text(cluster.processes().client(name).getPath("/actuator/digest")));
		}
		return digests;
	}

}
