package io.quorate.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import io.quorate.process.KeyHistory.Outcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Every acknowledged write survives the death of the process at any instant: while
 * flushes, compactions and value files are under way, and while the node starts; and, in
 * the long form, the loss of all that was not forced.
 */
class KillNineIT {

	private static final int WRITERS = 8;

	private static final int KEYS_PER_WRITER = 60;

	private static final int ROUNDS = Scale.of(4, 100);

	private static final int MAX_LIFE_MILLIS = Scale.of(2500, 6000);

	private static final int POWER_FAILURES = 50;

	private static final long DISK_BYTES = 4L << 30;

	private static final Duration LIMIT = Duration.ofMinutes(3);

	/* In a round, of all; a life may be short, and the last one goes on until then. */
	private static final long LEAST_WRITTEN = Scale.of(20, 100);

	private final KeyHistories keys = KeyHistories.of(WRITERS, KEYS_PER_WRITER);

	private final Map<Outcome, Long> outcomes = new ConcurrentHashMap<>();

	@Test
	void everyAcknowledgedWriteIsThereAfterTheProcessWasKilled(@TempDir Path home) throws Exception {
		try (NodeProcess node = smallNode(home)) {
			crash(node, ROUNDS, node::kill9);
			assertThat(node.alarms()).isEmpty();
		}
	}

	@Test
	@Tag(Scale.ENDURANCE)
	void everyAcknowledgedWriteIsThereAfterThePowerHasFailed(@TempDir Path home) throws Exception {
		try (LoopDisk disk = LoopDisk.in(home, DISK_BYTES);
				NodeProcess node = smallNode(home).with("quorate.storage.directory", disk.path() + "/data")) {
			crash(node, POWER_FAILURES, () -> {
				disk.failPower();
				node.kill9();
				disk.restorePower();
			});
		}
	}

	/** A crash that ends a node, at any moment. */
	@FunctionalInterface
	private interface Crash {

		void happen() throws Exception;

	}

	private void crash(NodeProcess node, int rounds, Crash crash) throws Exception {
		SplittableRandom random = new SplittableRandom(Scale.seed("KillNineIT"));
		List<Long> starts = new ArrayList<>();
		node.start();
		try {
			for (int round = 1; round <= rounds; round++) {
				int lifeMillis = random.nextInt(50, MAX_LIFE_MILLIS);
				boolean isLast = round == rounds;
				writeUntil(crash, node, random.split(), () -> {
					pause(lifeMillis);
					if (isLast) {
						await().atMost(LIMIT).until(() -> isEnough(node, rounds));
					}
				});
				if (random.nextInt(4) == 0) {
					node.launch();
					pause(random.nextInt(500, 6000));
					crash.happen();
				}
				long begun = System.nanoTime();
				node.start();
				starts.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
				NodeClient client = NodeClient.of(node);
				this.keys.settle(LIMIT, (_) -> client);
				this.keys.requireTheScanToAgree(client);
			}
			assertThat(node.log()).contains("Replayed");
			assertThat(node.terminate()).isEqualTo(143);
		}
		finally {
			Scale.report("KillNineIT: %d rounds, %s; ready after %s ms".formatted(starts.size(), this.outcomes,
					starts.stream().mapToLong(Long::longValue).summaryStatistics()));
		}
	}

	private boolean isEnough(NodeProcess node, int rounds) {
		return this.outcomes.getOrDefault(Outcome.ACKNOWLEDGED, 0L) > rounds * LEAST_WRITTEN
				&& node.log().contains("Compacted");
	}

	/** Everything small, so that everything is under way at any time. */
	private static NodeProcess smallNode(Path home) {
		return NodeProcess.in(home)
			.withHeap("256m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.with("quorate.storage.memtable-size", "128KB");
	}

	private void writeUntil(Crash crash, NodeProcess node, SplittableRandom random, Runnable life) throws Exception {
		AtomicBoolean dead = new AtomicBoolean();
		NodeClient client = NodeClient.of(node);
		List<SplittableRandom> seeds = IntStream.range(0, WRITERS).mapToObj((_) -> random.split()).toList();
		try (Workers writers = Workers.begin(WRITERS, (number) -> {
			SplittableRandom choice = seeds.get(number);
			while (!dead.get()) {
				KeyHistory key = this.keys.of(number).get(choice.nextInt(KEYS_PER_WRITER));
				this.outcomes.merge(key.next(client, choice), 1L, Long::sum);
			}
		})) {
			life.run();
			crash.happen();
			dead.set(true);
			writers.join(LIMIT);
		}
	}

	private static void pause(int millis) {
		long end = System.nanoTime() + Duration.ofMillis(millis).toNanos();
		for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

}
