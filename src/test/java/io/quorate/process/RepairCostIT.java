package io.quorate.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The effect of a repair on clients: answers without and with a comparison that has much
 * to transfer under way, in turn, in one run. Reports their latencies, and requires of
 * the answers only that they are right.
 */
@Tag(Scale.FULL)
class RepairCostIT {

	private static final int KEYS = Scale.of(300, 40_000);

	private static final int ROUNDS = Scale.of(1, 5);

	private static final int CLIENTS = 4;

	private static final int WRITERS = 16;

	private static final Duration INTERVAL = Duration.ofMillis(5);

	private static final Duration STAGE = Duration.ofSeconds(Scale.of(2, 10));

	private static final Duration PATIENCE = Duration.ofMinutes(Scale.of(3, 10));

	@Test
	void clientsAreServedWhileStoresAreRepaired(@TempDir Path home) throws Exception {
		SplittableRandom random = new SplittableRandom(Scale.seed("RepairCostIT"));
		try (ClusterProcesses cluster = ClusterProcesses.in(home, 3)
			.withHeap("256m")
			.with("quorate.repair.enabled", "false")
			.with("quorate.repair.hints.enabled", "false")
			.start()) {
			write(cluster, "3/3");
			serve(cluster, random);
			List<Latencies> without = new ArrayList<>();
			List<Latencies> with = new ArrayList<>();
			List<Double> repaired = new ArrayList<>();
			for (int round = 0; round < ROUNDS; round++) {
				cluster.kill9("n2");
				write(cluster, "2/3");
				ClusterProcesses.letSettle();
				cluster.restart("n2");
				cluster.awaitConnected();
				without.add(serve(cluster, random));
				double before = sent(cluster);
				assertThat(cluster.client("n0").postPath("/actuator/repair", "{}").statusCode()).isEqualTo(202);
				with.add(serve(cluster, random));
				repaired.add(sent(cluster) - before);
				await().atMost(PATIENCE).until(() -> sent(cluster) - before >= KEYS);
			}
			for (int round = 0; round < ROUNDS; round++) {
				Scale.report("RepairCostIT: without: %s".formatted(without.get(round)));
				Scale.report("RepairCostIT: with:    %s, %.0f of %d entries repaired meanwhile; p99 ratio %.2f"
					.formatted(with.get(round), repaired.get(round), KEYS,
							(double) with.get(round).percentile(99).toNanos()
									/ without.get(round).percentile(99).toNanos()));
			}
			assertThat(cluster.alarms()).isEmpty();
		}
	}

	private static void write(ClusterProcesses cluster, String replicas) throws Exception {
		Workers.run(WRITERS, PATIENCE, (number) -> {
			NodeClient client = cluster.client("n0").with("replicas=" + replicas);
			for (int key = number; key < KEYS; key += WRITERS) {
				NodeAnswer answer = client.put("key-" + key, Contents.of("value", key, 1000));
				assertThat(answer.statusCode()).as(NodeClient.text(answer)).isEqualTo(201);
			}
		});
	}

	/** Puts and gets of other keys, so that no read repairs. */
	private static Latencies serve(ClusterProcesses cluster, SplittableRandom random) throws Exception {
		List<Latencies> each = new ArrayList<>();
		List<SplittableRandom> randoms = new ArrayList<>();
		for (int number = 0; number < CLIENTS; number++) {
			each.add(new Latencies());
			randoms.add(random.split());
		}
		long end = System.nanoTime() + STAGE.toNanos();
		Workers.run(CLIENTS, PATIENCE, (number) -> {
			NodeClient client = cluster.client("n0").with("replicas=2/3");
			Pace pace = new Pace(INTERVAL);
			do {
				String key = "served-" + randoms.get(number).nextInt(1000);
				if (randoms.get(number).nextBoolean()) {
					each.get(number).count(() -> client.put(key, Contents.of("served", 1, 100)));
				}
				else {
					each.get(number).count(() -> client.get(key));
				}
				pace.await();
			}
			while (System.nanoTime() - end < 0);
		});
		Latencies all = Latencies.of(each);
		assertThat(all.statuses().keySet()).isSubsetOf(200, 201, 404);
		return all;
	}

	private static double sent(ClusterProcesses cluster) throws Exception {
		return MeterReadings.of(cluster.client("n0"))
			.sum("quorate_repair_entries_total", "peer=\"n2\"", "direction=\"sent\"");
	}

}
