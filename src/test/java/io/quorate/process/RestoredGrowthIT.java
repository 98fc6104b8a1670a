package io.quorate.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A cluster that has grown is restored as a whole from backups: by their layout, not by
 * the first one.
 */
@Tag(Scale.FULL)
class RestoredGrowthIT {

	private static final List<String> ALL = List.of("n0", "n1", "n2", "n3");

	private static final int KEYS = Scale.of(60, 2000);

	private static final Duration LIMIT = ChangingCluster.LIMIT;

	@TempDir
	Path home;

	@Test
	void aClusterThatHasGrownIsRestoredAndGrowsOn() throws Exception {
		try (ChangingCluster cluster = ChangingCluster.start(this.home.resolve("nodes"), 2)) {
			cluster.startCandidate("n3");
			long added = cluster.add("n1", "n3");
			cluster.awaitStable(added + 1, ALL.toArray(String[]::new));
			cluster.awaitReady("n3");
			for (int i = 0; i < KEYS; i++) {
				assertThat(client(cluster, i).put("key-" + i, value(i)).statusCode()).isEqualTo(201);
			}
			List<String> urls = ALL.stream().map((name) -> cluster.processes().node(name).uri("").toString()).toList();
			assertThat(command("backup", urls)).contains("\"deciding\":\"[n0, n1, n2, n3], 3 copies\"");
			restore(cluster, added + 1);
			cluster.processes().start(ALL.toArray(String[]::new));
			ALL.forEach(cluster::awaitReady);
			for (int i = 0; i < KEYS; i++) {
				assertThat(client(cluster, i + 1).get("key-" + i).body()).as("key-%d", i).isEqualTo(value(i));
			}
			// Every directory is named anew, one version after the other.
			cluster.awaitStable(added + 1 + ALL.size(), ALL.toArray(String[]::new));
			cluster.startCandidate("n4");
			// The configuration of the candidate does not name the member that is asked.
			long grown = cluster.add("n3", "n4");
			cluster.awaitStable(grown + 1, "n0", "n1", "n2", "n3", "n4");
			assertThat(cluster.alarms()).isEmpty();
		}
	}

	private static byte[] value(int key) {
		return ("value " + key).getBytes(StandardCharsets.UTF_8);
	}

	private void restore(ChangingCluster cluster, long version) throws Exception {
		for (String name : ALL) {
			FileSystemUtils.copyRecursively(backupOf(cluster, name), elsewhere(name));
			cluster.processes().kill9(name);
		}
		for (String name : ALL) {
			cluster.processes().wipe(name);
			assertThat(command("restore",
					List.of("--whole-cluster", elsewhere(name).toString(),
							cluster.processes().node(name).data().toString())))
				.contains("Layout: version %d (".formatted(version), "Incarnation 1 of the cluster");
		}
	}

	private static NodeClient client(ChangingCluster cluster, int number) {
		return cluster.processes().client(ALL.get(number % ALL.size())).with("replicas=2/3");
	}

	private Path elsewhere(String name) {
		return this.home.resolve("elsewhere").resolve(name);
	}

	private static Path backupOf(ChangingCluster cluster, String name) throws IOException {
		try (Stream<Path> all = Files.list(cluster.processes().node(name).data().resolve("backups"))) {
			List<Path> found = all.toList();
			assertThat(found).hasSize(1);
			return found.getFirst();
		}
	}

	private String command(String name, List<String> arguments) throws IOException, InterruptedException {
		return ProgramCommand.run(0, this.home, LIMIT, name, arguments);
	}

}
