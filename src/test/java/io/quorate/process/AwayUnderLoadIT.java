package io.quorate.process;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * One of three nodes is away while clients put, delete and write what expires, and comes
 * back under that load: soon after it has ended all hold the same, whatever brought it
 * there. Nobody reads.
 */
@Tag(Scale.FULL)
class AwayUnderLoadIT {

	private static final String AWAY = "n2";

	private static final int KEYS = Scale.of(400, 20_000);

	private static final int WRITERS = 4;

	private static final Duration INTERVAL = Duration.ofMillis(10);

	private static final Duration GONE = Duration.ofSeconds(Scale.of(2, 300));

	private static final Duration BACK = Duration.ofSeconds(Scale.of(1, 60));

	private static final Duration PATIENCE = Duration.ofMinutes(Scale.of(3, 10));

	/* Of the keys, by as many acknowledged changes at random, all but an eighth. */
	private static final int LEAST_CHANGES = 2 * KEYS;

	private final Map<String, Integer> answers = new ConcurrentSkipListMap<>();

	private final AtomicInteger acknowledged = new AtomicInteger();

	/** The means by which a node gets the writes that it has missed. */
	enum Means {

		HINTS, HINTS_OF_A_COORDINATOR_STARTED_AGAIN, COMPARISONS_ALONE

	}

	@ParameterizedTest
	@EnumSource
	void allHoldTheSameSoonAfterANodeIsBack(Means means, @TempDir Path home) throws Exception {
		long seed = Scale.seed("AwayUnderLoadIT");
		AtomicBoolean over = new AtomicBoolean();
		try (ClusterProcesses cluster = cluster(home, means).start();
				Workers load = Workers.begin(WRITERS, (number) -> {
					SplittableRandom random = new SplittableRandom(seed + number);
					Pace pace = new Pace(INTERVAL);
					while (!over.get()) {
						write(cluster, random);
						pace.await();
					}
				})) {
			cluster.kill9(AWAY);
			stay(GONE.dividedBy(2));
			if (means == Means.HINTS_OF_A_COORDINATOR_STARTED_AGAIN) {
				cluster.kill9("n0");
				cluster.restart("n0");
			}
			stay(GONE.dividedBy(2));
			if (means != Means.COMPARISONS_ALONE) {
				await().atMost(PATIENCE).until(() -> owed(cluster) > 0);
			}
			double owed = (means != Means.COMPARISONS_ALONE) ? owed(cluster) : 0;
			cluster.restart(AWAY);
			long back = System.nanoTime();
			stay(BACK);
			await().atMost(PATIENCE).until(() -> this.acknowledged.get() >= LEAST_CHANGES);
			over.set(true);
			load.join(PATIENCE);
			if (means != Means.COMPARISONS_ALONE) {
				await().atMost(PATIENCE).until(() -> owed(cluster) == 0);
				assertThat(dropped(cluster)).as("hints dropped").isZero();
			}
			long handedOver = System.nanoTime();
			StoreDigests same = StoreDigests.awaitSame(cluster, PATIENCE);
			Scale.report(
					("AwayUnderLoadIT: %s: away for %s, answers %s; %.0f hints owed, handed over and the load over %d ms"
							+ " after the start; %d ms later all hold the same %d entries, %d of them deletions")
						.formatted(means, GONE, this.answers, owed, Duration.ofNanos(handedOver - back).toMillis(),
								Duration.ofNanos(System.nanoTime() - handedOver).toMillis(), same.entries(),
								same.tombstones()));
			assertThat(same.entries()).isBetween((long) KEYS / 2, (long) KEYS + cluster.probes());
			assertThat(same.tombstones()).isGreaterThan(cluster.probes());
			assertThat(cluster.alarms()).isEmpty();
		}
	}

	private static ClusterProcesses cluster(Path home, Means means) throws IOException {
		return ClusterProcesses.in(home, 3)
			.withHeap("192m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.with("quorate.repair.enabled", Boolean.toString(means != Means.HINTS))
			.with("quorate.repair.hints.enabled", Boolean.toString(means != Means.COMPARISONS_ALONE))
			.with("quorate.repair.interval", Scale.of("1s", "10s"));
	}

	/* So long the load goes on; there is nothing to wait for. */
	private static void stay(Duration time) {
		new Pace(time).await();
	}

	private void write(ClusterProcesses cluster, SplittableRandom random) throws InterruptedException {
		NodeClient client = cluster.client("n" + random.nextInt(2)).with("replicas=2/3").within(Duration.ofSeconds(1));
		int number = random.nextInt(KEYS);
		String key = "key-" + number;
		try {
			switch (random.nextInt(10)) {
				case 0, 1 -> count("DELETE", client.delete(key));
				case 2, 3 -> count("PUT ttl", client.with("ttl=" + (1 + random.nextInt(3))).put(key, value(number)));
				default -> count("PUT", client.put(key, value(random.nextInt())));
			}
		}
		catch (IOException down) {
			this.answers.merge("none", 1, Integer::sum);
		}
	}

	private void count(String operation, NodeAnswer answer) {
		int status = answer.statusCode();
		assertThat(status).as(NodeClient.text(answer)).isIn(201, 202, 503, 504);
		this.answers.merge(operation + " " + status, 1, Integer::sum);
		this.acknowledged.addAndGet((status < 300) ? 1 : 0);
	}

	private static byte[] value(int number) {
		return Contents.of("value", number, 200);
	}

	private static double dropped(ClusterProcesses cluster) throws Exception {
		double dropped = 0;
		for (String name : cluster.others(AWAY)) {
			dropped += MeterReadings.of(cluster.client(name)).sumOfSome("quorate_hints_dropped_total");
		}
		return dropped;
	}

	private static double owed(ClusterProcesses cluster) throws Exception {
		double owed = 0;
		for (String name : cluster.others(AWAY)) {
			owed += MeterReadings.of(cluster.client(name)).sumOfSome("quorate_hints_owed", "peer=\"" + AWAY + "\"");
		}
		return owed;
	}

}
