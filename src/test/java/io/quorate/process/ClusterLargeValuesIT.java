package io.quorate.process;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The largest values, more of them than fit into the heap, while one replica takes none
 * of them: the memory of the others stays bounded, and small requests go on.
 */
@Tag(Scale.FULL)
class ClusterLargeValuesIT {

	private static final String HEAP = "384m";

	private static final int LARGEST = 16 << 20;

	private static final int WRITERS = 8;

	private static final Duration LENGTH = Duration.ofSeconds(Scale.of(8, 60));

	private static final Duration LIMIT = LENGTH.plusMinutes(3);

	/* Small values that are taken through each node. */
	private static final int LEAST_TAKEN = 100;

	/* Of those that are taken for one that is refused: by a fast machine. */
	private static final int LEAST_RATIO = 10;

	private final Map<String, Integer> answers = new ConcurrentSkipListMap<>();

	@Test
	void aFrozenReplicaDoesNotFillTheMemoryOfTheOthers(@TempDir Path home) throws Exception {
		try (ClusterProcesses cluster = ClusterProcesses.in(home, 3)
			.withHeap(HEAP)
			.with("quorate.storage.memtable-size", "4MB")
			.start()) {
			cluster.freeze("n2");
			Map<String, Integer> seen = flood(cluster);
			Scale.report("ClusterLargeValuesIT: heap %s, peak resident %d and %d MiB, %s".formatted(HEAP,
					cluster.node("n0").peakResidentBytes() >> 20, cluster.node("n1").peakResidentBytes() >> 20,
					this.answers));
			assertThat(this.answers.keySet()).isSubsetOf("large 201", "large 503", "large 504", "large broken off",
					"small 0 201", "small 0 503", "small 0 504", "small 1 201", "small 1 503", "small 1 504");
			assertThat(isEnough(seen)).as("%s", seen).isTrue();
			cluster.thaw("n2");
			cluster.awaitConnected();
			requireExactValues(cluster);
			assertThat(cluster.alarms()).isEmpty();
		}
	}

	private static boolean isEnough(Map<String, Integer> seen) {
		int least = Math.min(seen.getOrDefault("small 0 201", 0), seen.getOrDefault("small 1 201", 0));
		int refused = sum(seen, "503") + sum(seen, "504");
		return seen.containsKey("large 201") && least >= LEAST_TAKEN
				&& (!Scale.isFull() || sum(seen, "201") > LEAST_RATIO * refused);
	}

	private static int sum(Map<String, Integer> seen, String status) {
		return seen.getOrDefault("small 0 " + status, 0) + seen.getOrDefault("small 1 " + status, 0);
	}

	/**
	 * The answers at the end of the flood, without those under way. A busy machine may
	 * not take one large value in the time.
	 */
	private Map<String, Integer> flood(ClusterProcesses cluster) throws InterruptedException {
		AtomicBoolean over = new AtomicBoolean();
		byte[] large = Contents.of("large", 0, LARGEST);
		try (Workers writers = Workers.begin(WRITERS, (number) -> {
			while (!over.get()) {
				count("large", cluster.client("n" + number % 2), "large-" + number, large);
			}
		}); Workers small = Workers.begin(2, (number) -> {
			while (!over.get()) {
				count("small " + number, cluster.client("n" + number), "small-" + number, new byte[100]);
				LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
			}
		})) {
			long end = System.nanoTime() + LENGTH.toNanos();
			long last = System.nanoTime() + LIMIT.toNanos();
			Map<String, Integer> seen = Map.of();
			while (System.nanoTime() < end || (!isEnough(seen) && System.nanoTime() < last)) {
				LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
				seen = Map.copyOf(this.answers);
			}
			over.set(true);
			writers.join(LIMIT);
			small.join(LIMIT);
			return seen;
		}
	}

	private void count(String what, NodeClient client, String key, byte[] value) throws InterruptedException {
		String answer;
		try {
			answer = Integer
				.toString(client.with("replicas=2/3").within(Duration.ofSeconds(5)).put(key, value).statusCode());
		}
		catch (IOException refusedWhileSending) {
			answer = "broken off";
		}
		this.answers.merge(what + " " + answer, 1, Integer::sum);
	}

	/** Exactly the largest size, to and from each node. */
	private static void requireExactValues(ClusterProcesses cluster) throws Exception {
		for (String name : cluster.names()) {
			byte[] value = Contents.of(name, 1, LARGEST);
			assertThat(cluster.client(name).with("replicas=3/3").patient().put("exact-" + name, value).statusCode())
				.isEqualTo(201);
			for (String reader : cluster.names()) {
				byte[] read = cluster.client(reader).with("replicas=2/3").patient().get("exact-" + name).body();
				assertThat(Arrays.equals(read, value)).as("%s through %s", name, reader).isTrue();
			}
		}
	}

}
