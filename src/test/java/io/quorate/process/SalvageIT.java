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

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A node of three that is salvaged is no replica before it has got back what it lost. */
@Tag(Scale.FULL)
class SalvageIT {

	private static final Duration REBUILT = Duration.ofMinutes(3);

	private static final int KEYS = 60;

	@Test
	void aSalvagedNodeIsRebuiltBeforeItServes(@TempDir Path home) throws Exception {
		try (ClusterProcesses cluster = ClusterProcesses.in(home, 3)
			.withHeap("192m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.with("quorate.coordinator.max-timeout", "5s")) {
			cluster.start();
			for (int i = 0; i < KEYS; i++) {
				NodeAnswer answer = cluster.client("n0")
					.with("replicas=3/3")
					.within(Duration.ofSeconds(5))
					.patient()
					.put("key-%02d".formatted(i), Contents.of("key-" + i, 0, 500));
				assertThat(answer.statusCode()).as(NodeClient.text(answer)).isEqualTo(201);
			}
			await().atMost(REBUILT).until(() -> !segmentsWith(cluster.node("n1").data(), "key-10").isEmpty());
			cluster.kill9("n1");
			Path log = segmentsWith(cluster.node("n1").data(), "key-10").getFirst();
			Damage.flipBit(log, Damage.positionOf("key-10", log));
			NodeProcess n1 = cluster.node("n1").with("quorate.storage.recovery", "salvage");
			n1.start();
			assertThat(n1.logOfThisStart()).contains("Lost: " + log, "is to be rebuilt");
			await().atMost(REBUILT).until(() -> n1.logOfThisStart().contains("This node is rebuilt"));
			StoreDigests same = StoreDigests.awaitSame(cluster, REBUILT);
			assertThat(same.entries()).isEqualTo(KEYS + cluster.probes());
			Scale.report("SalvageIT: all nodes hold the same %d entries".formatted(same.entries()));
		}
	}

	private static List<Path> segmentsWith(Path data, String key) throws Exception {
		try (Stream<Path> files = Files.list(data.resolve("wal"))) {
			return files.filter((file) -> contains(file, key)).toList();
		}
	}

	private static boolean contains(Path file, String key) {
		try {
			return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(key);
		}
		catch (IOException gone) {
			return false;
		}
	}

}
