package io.quorate.process;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.SplittableRandom;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A cluster that grows from three members to four, and shrinks to three again, under a
 * mixed load through the members that stay: no request fails, no acknowledged write is
 * lost or goes back, and nothing deleted comes back.
 */
@Tag(Scale.FULL)
class ClusterGrowthIT {

	private static final String NAME = "ClusterGrowthIT";

	private static final String JOINER = "n3";

	private static final int GROWTHS = Scale.of(1, 5);

	@Test
	void aClusterGrowsAndShrinksWhileItServes(@TempDir Path home) throws Exception {
		SplittableRandom random = new SplittableRandom(Scale.seed(NAME));
		try (ChangingCluster cluster = ChangingCluster.startWithSlowCopies(home, 1);
				MixedLoad load = MixedLoad.through(cluster.processes(), random, "n0", "n1", "n2")) {
			for (int growth = 0; growth < GROWTHS; growth++) {
				growAndShrink(cluster);
			}
			Scale.report(
					"%s: %d times to four members and back, %s".formatted(NAME, GROWTHS, load.end("n0", "n1", "n2")));
			assertThat(cluster.alarms()).isEmpty();
			assertThat(cluster.rebuilds()).isEmpty();
		}
	}

	private static void growAndShrink(ChangingCluster cluster) throws Exception {
		cluster.startCandidate(JOINER);
		tryToAdd(cluster);
		long added = cluster.add("n1", JOINER);
		String status = cluster.status("n1");
		boolean hasEnded = status.contains("\"version\":%d,".formatted(added + 1));
		assertThat(hasEnded || status.contains("\"change\":{\"kind\":\"add\"")).as(status).isTrue();
		assertThat(hasEnded || status.contains("\"gainers\":")).as(status).isTrue();
		cluster.awaitStable(added + 1, "n0", "n1", "n2", JOINER);
		cluster.awaitReady(JOINER);
		long removed = cluster.remove("n2", JOINER);
		cluster.awaitStable(removed + 1, "n0", "n1", "n2");
		await().atMost(ChangingCluster.LIMIT).until(() -> cluster.ready(JOINER) == 503);
		cluster.discard(JOINER);
	}

	private static void tryToAdd(ChangingCluster cluster) throws Exception {
		HttpResponse<byte[]> tried = cluster.inTime("n1", "add",
				"\"dryRun\":true,\"member\":\"%s\"".formatted(cluster.address(JOINER)));
		assertThat(tried.statusCode()).as(NodeClient.text(tried)).isEqualTo(200);
		assertThat(NodeClient.text(tried)).contains("version %d would be ".formatted(cluster.version("n1") + 1),
				"\"plan\":{\"moves\":{\"%s\":".formatted(JOINER));
	}

}
