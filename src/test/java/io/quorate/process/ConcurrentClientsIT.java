package io.quorate.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Concurrent clients on a few keys at a time, through all nodes, which are killed, frozen
 * and put back to older directories meanwhile. Each key is one register: nothing
 * acknowledged is lost, nothing deleted comes back, no write takes effect twice, no read
 * goes back.
 */
@Tag(Scale.FULL)
class ConcurrentClientsIT {

	private static final int NODES = 3;

	private static final int CLIENTS = 10;

	private static final int OPERATIONS = Scale.of(6_000, 100_000);

	/* On a slow machine the short form ends earlier. */
	private static final Duration LONGEST = Duration.ofSeconds(Scale.of(12, 3000));

	/* After so many operations come the next keys: short histories are judged fast. */
	private static final int PER_EPOCH = 400;

	private static final int KEYS = 2;

	private static final Duration LIMIT = Duration.ofMinutes(Scale.of(3, 60));

	/* A directory is put back after so many other disturbances. */
	private static final int AGE = Scale.of(2, 6);

	/* Peers keep in mind how far a node is within two seconds. */
	private static final Duration YOUNGEST_COPY = Duration.ofSeconds(3);

	private static final Duration REBUILT = Duration.ofMinutes(3);

	private final Registers registers = new Registers();

	private final Map<String, AtomicInteger> outcomes = new ConcurrentSkipListMap<>();

	private final AtomicInteger begun = new AtomicInteger();

	@Test
	void everyKeyIsOneRegisterWhateverBecomesOfTheNodes(@TempDir Path home) throws Exception {
		SplittableRandom random = new SplittableRandom(Scale.seed("ConcurrentClientsIT"));
		try (ClusterProcesses cluster = ClusterProcesses.in(home, NODES)
			.withHeap("128m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.with("quorate.coordinator.max-timeout", "5s")
			.with("quorate.repair.interval", "500ms")
			.with("quorate.repair.grace-period", "4s")
			.with("quorate.repair.hint-window", "1s")
			.start()) {
			List<SplittableRandom> seeds = IntStream.range(0, CLIENTS).mapToObj((_) -> random.split()).toList();
			try (Workers clients = Workers.begin(CLIENTS, (number) -> operate(cluster, seeds.get(number)))) {
				long began = System.nanoTime();
				for (int round = 0; this.begun.get() < OPERATIONS
						&& System.nanoTime() - began < LONGEST.toNanos(); round++) {
					OlderDirectory older = OlderDirectory.of(cluster, "n" + random.nextInt(NODES),
							home.resolve("copy-" + round));
					if (random.nextBoolean()) {
						older.copyOfAFrozenNode();
					}
					else {
						older.copyOfAKilledNode();
					}
					for (int i = 0; i < AGE; i++) {
						disturb(cluster, random);
					}
					older.awaitAge(YOUNGEST_COPY);
					count("put back");
					older.putBack();
					older.awaitRebuilt(REBUILT);
				}
				this.begun.updateAndGet((count) -> Math.max(count, OPERATIONS));
				clients.join(LIMIT);
			}
			readEverything(cluster);
			assertThat(cluster.alarms()).isEmpty();
		}
		Scale.report("ConcurrentClientsIT: " + this.outcomes);
		this.registers.requireLinearizable("ConcurrentClientsIT");
	}

	private void disturb(ClusterProcesses cluster, SplittableRandom random) throws Exception {
		String victim = "n" + random.nextInt(NODES);
		boolean isKill = random.nextInt(4) == 0 || !this.outcomes.containsKey("kill");
		count(isKill ? "kill" : "freeze");
		if (isKill) {
			cluster.kill9(victim);
			new Pace(Duration.ofMillis(random.nextInt(200, 1500))).await();
			cluster.restart(victim);
			cluster.awaitConnected();
		}
		else {
			cluster.freeze(victim);
			new Pace(Duration.ofMillis(random.nextInt(30, 1200))).await();
			cluster.thaw(victim);
		}
		new Pace(Duration.ofMillis(random.nextInt(100, 600))).await();
	}

	private void operate(ClusterProcesses cluster, SplittableRandom random) throws Exception {
		for (int number = this.begun.getAndIncrement(); number < OPERATIONS; number = this.begun.getAndIncrement()) {
			String key = "epoch-%d-key-%d".formatted(number / PER_EPOCH, random.nextInt(KEYS));
			NodeClient client = majority(cluster, "n" + random.nextInt(NODES));
			int status = this.registers.operate(client, key, random).status();
			count((status == Answer.NONE) ? "no answer" : Integer.toString(status));
			if (status == Answer.NONE) {
				letNodeReturn();
			}
		}
	}

	private static NodeClient majority(ClusterProcesses cluster, String name) {
		return cluster.client(name).with("replicas=2/3").within(Duration.ofSeconds(5));
	}

	/* Or most operations were spent on a node that is down. */
	private static void letNodeReturn() {
		new Pace(Duration.ofMillis(20)).await();
	}

	private void count(String what) {
		this.outcomes.computeIfAbsent(what, (_) -> new AtomicInteger()).incrementAndGet();
	}

	private void readEverything(ClusterProcesses cluster) throws Exception {
		for (String key : this.registers.keys()) {
			for (String name : cluster.names()) {
				assertThat(this.registers.read(majority(cluster, name).patient(), key)).matches(Answer::isGood);
			}
		}
	}

}
