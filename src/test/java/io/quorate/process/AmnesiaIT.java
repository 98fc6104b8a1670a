package io.quorate.process;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.quorate.process.KeyHistory.Outcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A node whose directory is lost, or replaced by an older one: its peers notice, and it
 * is rebuilt from them.
 */
class AmnesiaIT {

	private static final int BEFORE = Scale.of(500, 200_000);

	private static final int FILLERS = 4;

	private static final Duration FILLED = Duration.ofMinutes(Scale.of(1, 15));

	private static final Duration REBUILT = Duration.ofSeconds(Scale.of(60, 600));

	private static final int WRITERS = 2;

	private static final int KEYS = 100;

	private static final Duration GRACE = Duration.ofSeconds(4);

	private ClusterProcesses cluster = ClusterProcesses.none();

	@BeforeEach
	void prepareCluster(@TempDir Path home) throws Exception {
		this.cluster = ClusterProcesses.in(home, 3)
			.withHeap("192m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.with("quorate.coordinator.max-timeout", "10s")
			.with("quorate.repair.interval", "1s");
	}

	@AfterEach
	void stopCluster() {
		this.cluster.close();
	}

	@Test
	void aNodeThatHasLostItsDirectoryIsRebuiltAndNobodyReadsWrong() throws Exception {
		this.cluster.start();
		Workers.run(FILLERS, FILLED, (filler) -> {
			for (int i = filler; i < BEFORE; i += FILLERS) {
				assertThat(client("n0").put("before-" + i, text("value " + i)).statusCode()).isEqualTo(201);
			}
		});
		Load load = new Load(Scale.seed("AmnesiaIT"));
		try (Workers workers = Workers.begin(WRITERS, load::run)) {
			this.cluster.kill9("n1");
			this.cluster.restartWiped("n1");
			load.asked.add("n1");
			await().atMost(REBUILT).until(() -> this.cluster.node("n1").logOfThisStart().contains("is to be rebuilt"));
			assertThat(readiness("n1")).contains("503");
			await().atMost(REBUILT).until(() -> readiness("n1").contains("200"));
			int before = load.reads.get();
			await().atMost(REBUILT).until(() -> load.reads.get() > before + 200);
			load.stopped.set(true);
			workers.join(REBUILT);
		}
		StoreDigests same = StoreDigests.awaitSame(this.cluster, REBUILT);
		Scale.report("AmnesiaIT: %d reads, none wrong; all nodes hold the same %d entries, %d of them tombstones"
			.formatted(load.reads.get(), same.entries(), same.tombstones()));
		assertThat(same.entries()).isGreaterThanOrEqualTo(BEFORE);
		assertThat(same.tombstones()).isPositive();
		this.cluster.terminate("n1");
		this.cluster.restart("n1");
		this.cluster.awaitConnected();
		assertThat(this.cluster.node("n1").logOfThisStart()).as("it was made good").doesNotContain("is to be rebuilt");
		assertThat(this.cluster.alarms()).isEmpty();
	}

	@Test
	void aNodeWithAnOlderDirectoryIsRebuiltAndKeepsWhatNobodyElseHolds(@TempDir Path copies) throws Exception {
		this.cluster.with("quorate.repair.grace-period", GRACE.toSeconds() + "s")
			.with("quorate.repair.hint-window", "1s")
			.with("quorate.repair.interval", "500ms")
			.with("quorate.coordinator.max-timeout", "5s")
			.start();
		putAll("alone", "1/1");
		putAll("early", "3/3");
		awaitPurgesOfWhatIsThere();
		this.cluster.terminate("n1");
		FileSystemUtils.copyRecursively(this.cluster.node("n1").data(), copies);
		this.cluster.restart("n1");
		this.cluster.awaitConnected();
		assertThat(this.cluster.node("n1").logOfThisStart()).doesNotContain("is to be rebuilt");
		deleteAll("early");
		putAll("late", "3/3");
		this.cluster.terminate("n1");
		this.cluster.wipe("n1");
		FileSystemUtils.copyRecursively(copies, this.cluster.node("n1").data());
		this.cluster.restart("n1");
		await().atMost(REBUILT).until(() -> this.cluster.node("n1").logOfThisStart().contains("This node is rebuilt"));
		assertThat(this.cluster.node("n1").logOfThisStart()).contains("is to be rebuilt",
				"because no other node can hold them");
		this.cluster.awaitConnected();
		requireAll("alone", "1/1", 200);
		requireAll("early", "3/3", 404);
		requireAll("late", "3/3", 200);
		deleteAll("alone");
		StoreDigests.awaitSame(this.cluster, REBUILT);
		assertThat(this.cluster.alarms()).isEmpty();
	}

	/* From then on n1 has horizons above the stamps of all that it holds. */
	private void awaitPurgesOfWhatIsThere() {
		long since = System.nanoTime();
		for (String name : this.cluster.names()) {
			await().atMost(REBUILT)
				.until(() -> MeterReadings.of(this.cluster.client(name))
					.sumOfSome("quorate_purge_horizon_seconds") < (System.nanoTime() - since) / 1e9);
		}
	}

	private void putAll(String name, String replicas) throws Exception {
		for (int i = 0; i < KEYS; i++) {
			assertThat(asking(replicas).put(name + "-" + i, text("value")).statusCode()).isEqualTo(201);
		}
	}

	private void deleteAll(String name) throws Exception {
		for (int i = 0; i < KEYS; i++) {
			assertThat(asking("3/3").delete(name + "-" + i).statusCode()).isEqualTo(202);
		}
	}

	private void requireAll(String name, String replicas, int status) throws Exception {
		for (int i = 0; i < KEYS; i++) {
			HttpResponse<byte[]> answer = asking(replicas).get(name + "-" + i);
			assertThat(answer.statusCode()).as("%s-%d: %s", name, i, NodeClient.text(answer)).isEqualTo(status);
		}
	}

	private NodeClient asking(String replicas) {
		return this.cluster.client("n0").with("replicas=" + replicas).within(Duration.ofSeconds(5));
	}

	/**
	 * One writer of each key, which is put and deleted: what is read is what was
	 * acknowledged last, or what nobody was told of since.
	 */
	private final class Load {

		private final long seed;

		private final List<String> asked = new CopyOnWriteArrayList<>(List.of("n0", "n2"));

		private final AtomicBoolean stopped = new AtomicBoolean();

		private final AtomicInteger reads = new AtomicInteger();

		private Load(long seed) {
			this.seed = seed;
		}

		private void run(int number) throws InterruptedException {
			SplittableRandom random = new SplittableRandom(this.seed + number);
			List<KeyHistory> keys = IntStream.range(0, KEYS)
				.mapToObj((key) -> new KeyHistory("under-load-%d-%d".formatted(number, key)))
				.toList();
			while (!this.stopped.get()) {
				keys.get(random.nextInt(KEYS)).next(any(random), random, Load::requireExpected);
				if (keys.get(random.nextInt(KEYS)).read(any(random), Load::requireExpected) == Outcome.READ) {
					this.reads.incrementAndGet();
				}
			}
		}

		private static void requireExpected(int status) {
			assertThat(status).isIn(200, 201, 202, 404, 503, 504);
		}

		private NodeClient any(SplittableRandom random) {
			return client(this.asked.get(random.nextInt(this.asked.size())));
		}

	}

	private NodeClient client(String name) {
		return this.cluster.client(name).with("replicas=2/3").within(Duration.ofSeconds(5));
	}

	private String readiness(String name) throws Exception {
		HttpResponse<byte[]> answer = this.cluster.client(name).getPath("/actuator/health/readiness");
		return answer.statusCode() + " " + NodeClient.text(answer);
	}

	private static byte[] text(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
