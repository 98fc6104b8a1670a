package io.quorate.process;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Far more of the largest values at once than the heap can hold, and readers that dawdle:
 * each request is answered, or refused before work was done, and the node goes on.
 */
@Tag(Scale.FULL)
class OverloadIT {

	private static final String HEAP = "192m";

	private static final int LARGEST = 16 << 20;

	private static final int RECEIVE_BUFFER_BYTES = 128 * 1024;

	private static final int VALUES = 4;

	private static final int CLIENTS = 16;

	private static final int DAWDLERS = 16;

	private static final Duration LENGTH = Duration.ofSeconds(Scale.of(10, 120));

	private static final Duration LIMIT = LENGTH.plusMinutes(3);

	private static final Set<String> SERVED = Set.of("PUT 201", "GET 200");

	private final Map<String, Integer> answers = new ConcurrentHashMap<>();

	@Test
	void aFloodOfLargeValuesIsAnsweredOrRefusedAndNeverTooMuch(@TempDir Path home) throws Exception {
		long seed = Scale.seed("OverloadIT");
		// With the collector of a node: that of short tests leaves hardly any room for a
		// large value.
		try (NodeProcess node = NodeProcess.in(home)
			.withJar(Path.of(System.getProperty("quorate.jar")))
			.withHeap(HEAP)
			.with("quorate.storage.memtable-size", "4MB")
			.with("quorate.coordinator.timeout", "30s")
			.start()) {
			for (int i = 0; i < VALUES; i++) {
				assertThat(NodeClient.of(node).put(key(i), content(i)).statusCode()).isEqualTo(201);
			}
			flood(node, seed);
			Scale.report("OverloadIT: heap %s, peak resident %d MiB, %s".formatted(HEAP, node.peakResidentBytes() >> 20,
					this.answers));
			assertThat(this.answers).containsKeys(SERVED.toArray(String[]::new));
			assertThat(this.answers.keySet()).isSubsetOf("PUT 201", "PUT 503", "PUT broken off", "GET 200", "GET 503",
					"dawdled", "dawdler refused");
			assertThat(node.alarms()).isEmpty();
			for (int i = 0; i < VALUES; i++) {
				assertThat(NodeClient.of(node).put(key(i), content(i)).statusCode()).isEqualTo(201);
				assertThat(Arrays.equals(NodeClient.of(node).get(key(i)).body(), content(i))).isTrue();
			}
			assertThat(node.terminate()).isEqualTo(143);
		}
	}

	/* A busy machine may not serve one large value in the time. */
	private boolean isTooShort() {
		return !this.answers.keySet().containsAll(SERVED);
	}

	private void flood(NodeProcess node, long seed) throws InterruptedException {
		AtomicBoolean over = new AtomicBoolean();
		byte[][] contents = new byte[VALUES][];
		Arrays.setAll(contents, OverloadIT::content);
		try (Workers clients = Workers.begin(CLIENTS, (number) -> {
			SplittableRandom random = new SplittableRandom(seed + number);
			while (!over.get()) {
				once(node, random.nextInt(VALUES), random.nextBoolean(), contents);
			}
		}); Workers dawdlers = Workers.begin(DAWDLERS, (number) -> {
			while (!over.get()) {
				dawdle(node, number % VALUES, over);
			}
		})) {
			long end = System.nanoTime() + LENGTH.toNanos();
			long last = System.nanoTime() + LIMIT.toNanos();
			while ((System.nanoTime() < end || (isTooShort() && System.nanoTime() < last)) && node.isAlive()) {
				LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
			}
			over.set(true);
			clients.join(LIMIT);
			dawdlers.join(LIMIT);
		}
	}

	private void once(NodeProcess node, int value, boolean read, byte[][] contents)
			throws IOException, InterruptedException {
		NodeClient client = NodeClient.of(node);
		NodeAnswer answer;
		try {
			answer = read ? client.get(key(value)) : client.put(key(value), contents[value]);
		}
		catch (IOException refusedWhileSending) {
			if (read) {
				throw refusedWhileSending;
			}
			count("PUT broken off");
			return;
		}
		count((read ? "GET " : "PUT ") + answer.statusCode());
		if (answer.statusCode() == 200 && !Arrays.equals(answer.body(), contents[value])) {
			throw new AssertionError(key(value) + " came back as something else");
		}
		if (answer.statusCode() == 503) {
			assertThat(answer.retryAfter()).isEqualTo(Duration.ofSeconds(1));
		}
	}

	/** Reads so slowly that the node has to wait, to the end unless the flood is over. */
	private void dawdle(NodeProcess node, int value, AtomicBoolean over) throws IOException {
		try (RawRequest request = RawRequest.send(node, RECEIVE_BUFFER_BYTES, "GET", "/v0/entity?id=" + key(value),
				"Connection: close")) {
			if (!request.statusLine().startsWith("HTTP/1.1 200")) {
				count("dawdler refused");
				LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
				return;
			}
			count("dawdled");
			for (int read = 1; read > 0 && !over.get(); read = request.read(256 * 1024).length) {
				LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
			}
		}
	}

	private void count(String what) {
		this.answers.merge(what, 1, Integer::sum);
	}

	private static String key(int number) {
		return "large-" + number;
	}

	private static byte[] content(int number) {
		return Contents.of(key(number), 0, LARGEST);
	}

}
