package io.quorate.process;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** What a bit has flipped in is never served; all else is. */
class DamagedTableIT {

	private static final int VALUE_BYTES = 1000;

	private static final int KEYS = 500;

	@Test
	void aFlippedBitInATableIsNeverServed(@TempDir Path home) throws Exception {
		try (NodeProcess node = NodeProcess.in(home).withHeap("192m").withJvm("-XX:TieredStopAtLevel=1").start()) {
			write(node, "first");
			node.terminate();
			Path damaged = onlyTable(node);
			node.start();
			write(node, "other");
			node.terminate();
			Damage.flipBit(damaged, Damage.positionOf("first-400", damaged));
			node.start();
			int refused = requireRightOrRefused(node, "first");
			assertThat(refused).isBetween(1, KEYS);
			assertThat(requireRightOrRefused(node, "other")).isZero();
			assertThat(node.log()).contains(damaged.getFileName().toString());
			Scale.report("DamagedTableIT: %d of %d keys refused".formatted(refused, KEYS));
		}
	}

	private static void write(NodeProcess node, String prefix) throws IOException, InterruptedException {
		NodeClient client = NodeClient.of(node);
		for (int i = 0; i < KEYS; i++) {
			String key = prefix + "-" + i;
			assertThat(client.put(key, Contents.of(key, 0, VALUE_BYTES)).statusCode()).isEqualTo(201);
		}
	}

	/** Number of keys whose reads are refused. */
	private static int requireRightOrRefused(NodeProcess node, String prefix) throws IOException, InterruptedException {
		int refused = 0;
		for (int i = 0; i < KEYS; i++) {
			String key = prefix + "-" + i;
			HttpResponse<byte[]> answer = NodeClient.of(node).get(key);
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

	private static Path onlyTable(NodeProcess node) throws IOException {
		try (Stream<Path> tables = Files.list(node.data().resolve("tables"))) {
			List<Path> all = tables.toList();
			assertThat(all).hasSize(1);
			return all.getFirst();
		}
	}

}
