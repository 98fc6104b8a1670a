package io.quorate.process;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A disk that fills up, by the node itself or by others to the last byte: writes are
 * refused, reads go on, and when there is space again writes are taken again without
 * anybody's doing. Needs root, to mount a small disk: only with {@code -Pendurance}.
 */
@Tag(Scale.FULL)
@Tag(Scale.ENDURANCE)
class FullDiskIT {

	private static final int DISK_MEGABYTES = 96;

	private static final int KEYS = 100_000;

	@TempDir
	private Path mount;

	private final Map<String, Integer> acknowledged = new TreeMap<>();

	private int refused;

	@BeforeEach
	void mountSmallDisk() throws Exception {
		run("mount", "-t", "tmpfs", "-o", "size=" + DISK_MEGABYTES + "m", "quorate-test", this.mount.toString());
	}

	@AfterEach
	void unmount() throws Exception {
		run("umount", this.mount.toString());
	}

	@Test
	void writesAreRefusedOnAFullDiskAndTakenAgainWhenThereIsSpace() throws Exception {
		long seed = Scale.seed("FullDiskIT");
		SplittableRandom random = new SplittableRandom(seed);
		Path filler = this.mount.resolve("filler");
		try (NodeProcess node = smallNode().start()) {
			for (int round = 0; round < 3; round++) {
				writeUntil(node, random, 300, 201);
				fill(filler, (round == 0) ? 6 << 20 : 0);
				writeUntil(node, random, 50, 507);
				requireAcknowledged(node);
				Files.delete(filler);
				await().atMost(Duration.ofMinutes(2))
					.pollInterval(Duration.ofMillis(100))
					.until(() -> put(node, random) == 201);
				writeUntil(node, random, 300, 201);
				requireAcknowledged(node);
			}
			fill(filler, 0);
			node.kill9();
			Files.delete(filler);
			node.start();
			requireAcknowledged(node);
			assertThat(put(node, random)).isEqualTo(201);
			Scale.report("FullDiskIT: %d records, %d refusals".formatted(this.acknowledged.size(), this.refused));
		}
	}

	@Test
	void garbageKeepsNoSmallDiskFull() throws Exception {
		int keys = 3000;
		int sizeBytes = 10_000;
		int refusals = 0;
		try (NodeProcess node = smallNode().start()) {
			for (int round = 0; round < 10; round++) {
				for (int i = 0; i < keys; i++) {
					refusals += putUntilTaken(node, "key-" + i, Contents.of("key-" + i, round, sizeBytes));
				}
			}
			for (int i = 0; i < keys; i++) {
				NodeAnswer answer = NodeClient.of(node).get("key-" + i);
				assertThat(answer.body()).isEqualTo(Contents.of("key-" + i, 9, sizeBytes));
			}
			Scale.report("FullDiskIT: %d MB live on %d MB, written 10 times, %d refusals"
				.formatted(keys * sizeBytes / 1_000_000, DISK_MEGABYTES, refusals));
		}
	}

	/** Says how often it was refused before. */
	private static int putUntilTaken(NodeProcess node, String key, byte[] value) {
		int[] refused = { 0 };
		await().atMost(Duration.ofMinutes(2)).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(20)).until(() -> {
			int status = NodeClient.of(node).put(key, value).statusCode();
			assertThat(status).isIn(201, 503, 507);
			refused[0] += (status == 201) ? 0 : 1;
			return status == 201;
		});
		return refused[0];
	}

	private NodeProcess smallNode() {
		return NodeProcess.in(this.mount.resolve("node"))
			.withHeap("256m")
			.with("quorate.storage.memtable-size", "512KB");
	}

	/** Writes until as many have been answered so. */
	private void writeUntil(NodeProcess node, SplittableRandom random, int count, int status) throws Exception {
		long deadline = System.nanoTime() + Duration.ofMinutes(2).toNanos();
		for (int left = count; left > 0;) {
			assertThat(System.nanoTime()).as("%d more writes answered %d", left, status).isLessThan(deadline);
			left -= (put(node, random) == status) ? 1 : 0;
		}
	}

	private int put(NodeProcess node, SplittableRandom random) throws IOException, InterruptedException {
		String key = "key-" + random.nextInt(KEYS);
		int sizeBytes = random.nextInt(random.nextInt(20) == 0 ? 200_000 : 10_000);
		if (this.acknowledged.containsKey(key)) {
			return 0;
		}
		NodeAnswer answer = NodeClient.of(node).put(key, Contents.of(key, 0, sizeBytes));
		switch (answer.statusCode()) {
			case 201 -> this.acknowledged.put(key, sizeBytes);
			case 503, 507 -> this.refused++;
			default -> throw new AssertionError(
					"a write was answered " + new String(answer.body(), StandardCharsets.UTF_8) + "\n" + node.log());
		}
		return answer.statusCode();
	}

	private void requireAcknowledged(NodeProcess node) throws IOException, InterruptedException {
		for (Map.Entry<String, Integer> record : this.acknowledged.entrySet()) {
			NodeAnswer answer = NodeClient.of(node).get(record.getKey());
			assertThat(answer.statusCode()).as(record.getKey()).isEqualTo(200);
			assertThat(answer.body()).isEqualTo(Contents.of(record.getKey(), 0, record.getValue()));
		}
	}

	/** Takes all space but so much. */
	private void fill(Path filler, long leftBytes) throws IOException {
		byte[] zeros = new byte[64 * 1024];
		try (OutputStream file = Files.newOutputStream(filler)) {
			while (Files.getFileStore(this.mount).getUsableSpace() > leftBytes) {
				file.write(zeros);
			}
		}
		catch (IOException full) {
			assertThat(full).hasMessageContaining("No space left");
		}
	}

	private static void run(String... command) throws IOException, InterruptedException {
		List<String> said = new ArrayList<>();
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		said.addAll(process.inputReader().lines().toList());
		assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
		assertThat(process.exitValue()).as("%s, which needs root: %s", List.of(command), said).isZero();
	}

}
