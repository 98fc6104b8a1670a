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

/** Bytes in which a bit has flipped are never served; all else is. */
@Tag(Scale.FULL)
class DamagedTableIT {

	private static final int VALUE_BYTES = 1000;

	private static final int KEYS = 500;

	@Test
	void aFlippedBitInATableIsNeverServed(@TempDir Path home) throws Exception {
		try (NodeProcess node = NodeProcess.in(home).withHeap("192m").withJvm("-XX:TieredStopAtLevel=1").start()) {
			write(node);
			node.terminate();
			Path damaged = onlyTable(node);
			Damage.flipBit(damaged, Damage.positionOf(key(400), damaged));
			node.start();
			int refused = requireRightOrRefused(node);
			assertThat(refused).isPositive();
			assertThat(requireRightOrRefused(node)).as("from then on nothing that the table may hold").isEqualTo(KEYS);
			assertThat(node.log()).contains(damaged.getFileName().toString());
			Scale.report("DamagedTableIT: %d of %d keys refused".formatted(refused, KEYS));
		}
	}

	@Test
	void theScrubFindsWhatNobodyHasRead(@TempDir Path home) throws Exception {
		try (NodeProcess node = NodeProcess.in(home)
			.withHeap("192m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.with("quorate.storage.scrub.bytes-per-second", "100MB")
			.start()) {
			write(node);
			node.terminate();
			Path damaged = onlyTable(node);
			Damage.flipBit(damaged, Damage.positionOf(key(400), damaged));
			node.start();
			assertThat(NodeClient.of(node).postPath("/actuator/scrub", "{}").statusCode()).isEqualTo(202);
			await().atMost(Duration.ofMinutes(2)).until(() -> quarantined(node) == 1);
			await().atMost(Duration.ofMinutes(2)).until(() -> scrub(node).contains("\"state\":\"waiting\""));
			assertThat(scrub(node)).contains("\"damages\":1", "\"tables\":1");
			assertThat(NodeClient.text(NodeClient.of(node).getPath("/actuator/health")))
				.contains("\"quarantinedTables\":1");
			node.terminate();
			Damage.flipBit(damaged, Damage.positionOf(key(401), damaged));
			node.start();
			assertThat(quarantined(node)).as("also after a restart").isEqualTo(1);
			assertThat(requireRightOrRefused(node)).isEqualTo(KEYS);
			assertThat(node.log()).containsOnlyOnce("A table is quarantined");
		}
	}

	private static double quarantined(NodeProcess node) throws IOException, InterruptedException {
		return MeterReadings.of(NodeClient.of(node)).sumOfSome("quorate_storage_quarantined");
	}

	private static String scrub(NodeProcess node) throws IOException, InterruptedException {
		return NodeClient.text(NodeClient.of(node).getPath("/actuator/scrub"));
	}

	private static void write(NodeProcess node) throws IOException, InterruptedException {
		NodeClient client = NodeClient.of(node);
		for (int i = 0; i < KEYS; i++) {
			String key = key(i);
			assertThat(client.put(key, Contents.of(key, 0, VALUE_BYTES)).statusCode()).isEqualTo(201);
		}
	}

	/** Number of keys whose reads are refused. */
	private static int requireRightOrRefused(NodeProcess node) throws IOException, InterruptedException {
		int refused = 0;
		for (int i = 0; i < KEYS; i++) {
			String key = key(i);
			NodeAnswer answer = NodeClient.of(node).get(key);
			if (answer.statusCode() == 504) {
				assertThat(new String(answer.body(), StandardCharsets.UTF_8)).contains("corrupt");
				refused++;
			}
			else {
				assertThat(answer.statusCode()).as(key).isEqualTo(200);
				assertThat(answer.body()).isEqualTo(Contents.of(key, 0, VALUE_BYTES));
			}
		}
		return refused;
	}

	private static String key(int number) {
		return "key-" + number;
	}

	private static Path onlyTable(NodeProcess node) throws IOException {
		try (Stream<Path> tables = Files.list(node.data().resolve("tables"))) {
			List<Path> all = tables.toList();
			assertThat(all).hasSize(1);
			return all.getFirst();
		}
	}

}
