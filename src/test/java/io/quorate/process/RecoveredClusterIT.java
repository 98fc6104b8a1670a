package io.quorate.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A cluster whose majority is lost for good goes on with the member that is left, and
 * grows again. A member that was given up comes back in vain.
 */
@Tag(Scale.FULL)
class RecoveredClusterIT {

	private static final int KEYS = Scale.of(60, 2000);

	/* That of the layout that has the version 3 in a recovered cluster. */
	private static final long RECOVERED = 1_000_000_003;

	@TempDir
	Path home;

	@Test
	void theMemberThatIsLeftServesAndIsJoinedByOthers() throws Exception {
		try (ChangingCluster cluster = ChangingCluster.start(this.home.resolve("nodes"), 1)) {
			for (int i = 0; i < KEYS; i++) {
				NodeClient all = cluster.processes().client("n0").with("replicas=3/3");
				assertThat(all.put("key-" + i, value(i)).statusCode()).isEqualTo(201);
			}
			Path old = loseMajority(cluster);
			String directory = cluster.processes().node("n0").data().toString();
			assertThat(recover(directory, "--dry-run")).contains("Given up:  n1, n2");
			assertThat(recover(directory, "--yes")).contains("n0 begins with version %d (".formatted(RECOVERED),
					"in incarnation 1 of the cluster");
			cluster.processes().start("n0");
			cluster.awaitStable(RECOVERED, "n0");
			cluster.awaitReady("n0");
			requireAll(cluster, "n0");

			comeBack(cluster, old);
			requireAll(cluster, "n0");

			add(cluster, "n3", "n0");
			raise(cluster, 2, "n0", "n3");
			// It was given up, and is a candidate with an empty directory.
			add(cluster, "n1", "n0", "n3");
			raise(cluster, 3, "n0", "n1", "n3");
			cluster.processes().kill9("n0");
			requireAll(cluster, "n1");
			requireAll(cluster, "n3");
			assertThat(cluster.alarms()).allMatch((line) -> line.contains("the cluster was recovered without")
					|| line.contains("history of the layout"));
		}
	}

	/* n0 has all that the others had. */
	private Path loseMajority(ChangingCluster cluster) throws Exception {
		Path old = this.home.resolve("old");
		for (String lost : List.of("n1", "n2")) {
			cluster.processes().kill9(lost);
		}
		FileSystemUtils.copyRecursively(cluster.processes().node("n1").data(), old);
		for (String lost : List.of("n1", "n2")) {
			cluster.processes().wipe(lost);
		}
		cluster.processes().terminate("n0");
		return old;
	}

	/* Both refuse each other, and the one that comes back decides and answers nothing. */
	private static void comeBack(ChangingCluster cluster, Path old) throws Exception {
		FileSystemUtils.copyRecursively(old, cluster.processes().node("n1").data());
		cluster.processes().start("n1");
		await().atMost(ChangingCluster.LIMIT).untilAsserted(() -> {
			assertThat(cluster.processes().node("n0").log()).contains("the cluster was recovered without");
			assertThat(cluster.processes().node("n1").log())
				.contains("is refused, the history of the layout differs; the peer's log says more");
		});
		assertThat(cluster.version("n1")).isEqualTo(2);
		NodeClient alone = cluster.processes().client("n1").within(Duration.ofSeconds(2));
		// 503 if it has stood still for two seconds.
		assertThat(alone.put("key-0", value(1)).statusCode()).isIn(503, 504);
		assertThat(alone.get("key-0").statusCode()).isIn(503, 504);
		cluster.discard("n1");
	}

	private static void add(ChangingCluster cluster, String comes, String... members) throws Exception {
		cluster.processes().start(comes);
		await().atMost(ChangingCluster.LIMIT).until(() -> cluster.ready(comes) == 503);
		long begun = cluster.add("n0", comes);
		cluster.awaitStable(begun + 1,
				Stream.concat(Stream.of(comes), Stream.of(members)).sorted().toArray(String[]::new));
		cluster.awaitReady(comes);
	}

	private static void raise(ChangingCluster cluster, int factor, String... members) throws Exception {
		long begun = cluster.begin("n0", "replication", "\"factor\":%d".formatted(factor));
		cluster.awaitStable(begun + 1, members);
	}

	private static void requireAll(ChangingCluster cluster, String through) throws Exception {
		for (int i = 0; i < KEYS; i++) {
			NodeClient client = cluster.processes().client(through);
			assertThat(client.get("key-" + i).body()).as("key-%d through %s", i, through).isEqualTo(value(i));
		}
	}

	private static byte[] value(int key) {
		return ("value " + key).getBytes(StandardCharsets.UTF_8);
	}

	private String recover(String directory, String option) throws IOException, InterruptedException {
		return ProgramCommand.run(0, this.home, ChangingCluster.LIMIT, "cluster",
				List.of("recover", directory, "--members", "n0", option));
	}

}
