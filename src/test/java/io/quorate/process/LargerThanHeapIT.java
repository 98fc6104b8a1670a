package io.quorate.process;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Data several times the heap, from empty values to the largest that there may be: all of
 * it written, read, scanned, compacted, and there after a restart.
 */
@Tag(Scale.FULL)
class LargerThanHeapIT {

	private static final String HEAP = Scale.of("96m", "384m");

	private static final long TOTAL_BYTES = Scale.of(112, 2048) * (1L << 20);

	private static final int LARGEST = 16 << 20;

	private static final int CLIENTS = 4;

	private static final Duration LIMIT = Duration.ofMinutes(Scale.of(5, 60));

	private final AtomicInteger refused = new AtomicInteger();

	@Test
	void dataLargerThanTheHeapSurvivesScansCompactionsAndARestart(@TempDir Path home) throws Exception {
		int[] sizes = sizes(new SplittableRandom(Scale.seed("LargerThanHeapIT")));
		try (NodeProcess node = NodeProcess.in(home)
			.withHeap(HEAP)
			.withJvm("-XX:+ExitOnOutOfMemoryError")
			.with("quorate.storage.background-share", "1")
			.with("quorate.storage.memtable-size", Scale.of("4MB", "16MB"))
			.start()) {
			Workers.run(CLIENTS, LIMIT, (client) -> write(node, sizes, client));
			requireScan(node, sizes);
			awaitCompactions(node);
			long peakBytes = node.peakResidentBytes();
			node.terminate();
			node.start();
			Workers.run(CLIENTS, LIMIT, (client) -> requireAll(node, sizes, client));
			Scale.report("LargerThanHeapIT: %d records of %d MiB, heap %s, peak resident %d and %d MiB, %d refusals"
				.formatted(sizes.length, TOTAL_BYTES >> 20, HEAP, peakBytes >> 20, node.peakResidentBytes() >> 20,
						this.refused.get()));
			assertThat(node.alarms()).isEmpty();
		}
	}

	/** Of each ten thousand 9,500 in the tables, 480 small ones beside them, 20 large. */
	private static int[] sizes(SplittableRandom random) {
		AtomicLong left = new AtomicLong(TOTAL_BYTES - 2L * LARGEST);
		return IntStream
			.concat(IntStream.of(LARGEST, 0, LARGEST),
					IntStream.generate(() -> size(random)).takeWhile((size) -> left.addAndGet(-size) > 0))
			.toArray();
	}

	private static int size(SplittableRandom random) {
		int choice = random.nextInt(10_000);
		if (choice < 9500) {
			return random.nextInt(16 << 10);
		}
		return (choice < 9980) ? random.nextInt(16 << 10, 256 << 10) : random.nextInt(1 << 20, LARGEST + 1);
	}

	private void write(NodeProcess node, int[] sizes, int client) throws IOException, InterruptedException {
		for (int i = client; i < sizes.length; i += CLIENTS) {
			byte[] value = Contents.of(key(i), 0, sizes[i]);
			NodeAnswer answer = NodeClient.of(node).put(key(i), value);
			while (isRefusal(answer)) {
				answer = NodeClient.of(node).put(key(i), value);
			}
			assertThat(answer.statusCode())
				.as("%s of %d bytes: %s", key(i), sizes[i], new String(answer.body(), StandardCharsets.UTF_8))
				.isEqualTo(201);
		}
	}

	private void requireAll(NodeProcess node, int[] sizes, int client) throws IOException, InterruptedException {
		for (int i = client; i < sizes.length; i += CLIENTS) {
			NodeAnswer answer = NodeClient.of(node).get(key(i));
			while (isRefusal(answer)) {
				answer = NodeClient.of(node).get(key(i));
			}
			assertThat(answer.statusCode()).as(key(i)).isEqualTo(200);
			requireSame(i, answer.body(), sizes[i]);
		}
	}

	/** If it is one: waits as it says. */
	private boolean isRefusal(NodeAnswer answer) {
		if (answer.statusCode() != 503) {
			return false;
		}
		this.refused.incrementAndGet();
		LockSupport.parkNanos(Objects.requireNonNull(answer.retryAfter()).toNanos());
		return true;
	}

	private static void requireScan(NodeProcess node, int[] sizes) throws IOException, InterruptedException {
		try (InputStream answer = NodeClient.of(node).scan("a");
				BufferedInputStream scan = new BufferedInputStream(answer, 1 << 16)) {
			for (int i = 0; i < sizes.length; i++) {
				assertThat(ScanReader.key(scan)).isEqualTo(key(i));
				requireSame(i, scan.readNBytes(sizes[i]), sizes[i]);
			}
			assertThat(scan.read()).as("the end of the scan").isNegative();
		}
	}

	private static void requireSame(int number, byte[] found, int sizeBytes) {
		if (!Arrays.equals(found, Contents.of(key(number), 0, sizeBytes))) {
			throw new AssertionError(
					"%s of %d bytes came back as other %d bytes".formatted(key(number), sizeBytes, found.length));
		}
	}

	private static void awaitCompactions(NodeProcess node) {
		await().atMost(LIMIT)
			.pollInterval(Duration.ofMillis(250))
			.until(() -> node.log().contains("Compacted")
					&& tables(node).stream().noneMatch((name) -> name.endsWith(".tmp")));
	}

	private static List<String> tables(NodeProcess node) throws IOException {
		try (Stream<Path> files = Files.list(node.data().resolve("tables"))) {
			return files.map((file) -> file.getFileName().toString()).sorted().toList();
		}
	}

	private static String key(int number) {
		return "record-%07d".formatted(number);
	}

}
