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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A node whose directory is lost, or replaced by an older one: its peers notice, and it
 * is rebuilt from them.
 */
@Tag(Scale.FULL)
class AmnesiaIT {

	private static final int BEFORE = Scale.of(500, 200_000);

	private static final int FILLERS = 4;

	private static final Duration FILLED = Duration.ofMinutes(Scale.of(3, 15));

	private static final Duration REBUILT = Duration.ofMinutes(Scale.of(3, 10));

	private static final int WRITERS = 2;

	private static final int KEYS = 100;

	/* More than was deleted and written after the copy. */
	private static final int GROWN = 5 * KEYS;

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
			String ready = readiness("n1");
			boolean wasRebuilt = this.cluster.node("n1").logOfThisStart().contains("This node is rebuilt");
			assertThat(wasRebuilt || ready.contains("503")).as(ready).isTrue();
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
	void aNodeWithAnOlderDirectoryIsRebuiltAndKeepsItsSoleCopies(@TempDir Path copies) throws Exception {
		startWithShortGrace();
		putAll("alone", "1/1");
		putAll("early", "3/3");
		awaitPurgesOfWhatIsThere();
		copyOf("n1", copies);
		deleteAll("early");
		putAll("late", "3/3");
		this.cluster.terminate("n1");
		putBack("n1", copies);
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

	/*
	 * Cut off from its peers it takes so many writes that its sequence is beyond what
	 * they remember, acknowledged or not: what was purged meanwhile stays deleted.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "1/3", "2/3" })
	void anOlderDirectoryThatWasWrittenToBeforeItMetItsPeersIsRebuilt(String replicas, @TempDir Path copies)
			throws Exception {
		startWithShortGrace();
		putAll("early", "3/3");
		copyOf("n0", copies);
		deleteAll("early");
		await().atMost(REBUILT).untilAsserted(() -> {
			for (String name : this.cluster.names()) {
				assertThat(StoreDigests.of(this.cluster.client(name)).tombstones()).as(name).isZero();
			}
		});
		for (String name : this.cluster.names()) {
			this.cluster.terminate(name);
		}
		putBack("n0", copies);
		int status = replicas.equals("1/3") ? 201 : 504;
		NodeClient alone = this.cluster.client("n0").with("replicas=" + replicas).within(Duration.ofSeconds(5));
		for (int i = 0; i < GROWN; i++) {
			assertThat(putUnlessLate(alone, "grown-" + i)).isEqualTo(status);
		}
		this.cluster.start("n1", "n2");
		await().atMost(REBUILT).until(() -> this.cluster.node("n0").logOfThisStart().contains("is to be rebuilt"));
		requireDeletedThroughAll();
		await().atMost(REBUILT).until(() -> this.cluster.node("n0").logOfThisStart().contains("This node is rebuilt"));
		this.cluster.awaitConnected();
		requireDeletedThroughAll();
		for (int i = 0; i < GROWN && status == 201; i++) {
			assertThat(asking("3/3").get("grown-" + i).statusCode()).as("acknowledged").isEqualTo(200);
		}
		assertThat(this.cluster.alarms()).isEmpty();
	}

	/* A node that has stood still for longer than the deadline has done nothing. */
	private static int putUnlessLate(NodeClient client, String key) throws Exception {
		NodeAnswer answer = client.put(key, text("value"));
		while (answer.statusCode() == 503) {
			answer = client.put(key, text("value"));
		}
		return answer.statusCode();
	}

	/* The peer that it meets first was away, too, and knows nothing better. */
	@Test
	void anOlderDirectoryIsRebuiltWhenThePeerIsBackThatKnowsBetter(@TempDir Path copies) throws Exception {
		startWithShortGrace();
		putAll("changed", "3/3");
		copyOf("n0", copies);
		this.cluster.terminate("n2");
		NodeClient through = this.cluster.client("n1").with("replicas=2/3").within(Duration.ofSeconds(5)).patient();
		for (int i = 0; i < KEYS; i++) {
			assertThat(through.put("changed-" + i, text("newer")).statusCode()).isEqualTo(201);
		}
		this.cluster.terminate("n0");
		this.cluster.terminate("n1");
		putBack("n0", copies);
		this.cluster.start("n2");
		NodeClient stale = this.cluster.client("n2").with("replicas=2/3").within(Duration.ofSeconds(5)).patient();
		await().atMost(REBUILT)
			.untilAsserted(() -> assertThat(stale.put("grown", text("value")).statusCode()).isEqualTo(201));
		for (int i = 0; i < 2 * KEYS; i++) {
			assertThat(stale.put("grown-" + i, text("value")).statusCode()).isEqualTo(201);
		}
		this.cluster.start("n1");
		await().atMost(REBUILT).until(() -> this.cluster.node("n0").logOfThisStart().contains("This node is rebuilt"));
		this.cluster.awaitConnected();
		for (String name : this.cluster.names()) {
			NodeClient reader = this.cluster.client(name).with("replicas=2/3").within(Duration.ofSeconds(5)).patient();
			for (int i = 0; i < KEYS; i++) {
				assertThat(NodeClient.text(reader.get("changed-" + i))).as("changed-%d through %s", i, name)
					.isEqualTo("newer");
			}
		}
		assertThat(this.cluster.alarms()).isEmpty();
	}

	private void startWithShortGrace() throws Exception {
		this.cluster.with("quorate.repair.grace-period", GRACE.toSeconds() + "s")
			.with("quorate.repair.hint-window", "1s")
			.with("quorate.repair.interval", "500ms")
			.with("quorate.coordinator.max-timeout", "5s")
			// What the acks of a node that is rebuilt say of the order of writes.
			.with("quorate.clock.max-skew", "10s")
			.start();
	}

	private void copyOf(String name, Path copies) throws Exception {
		this.cluster.terminate(name);
		FileSystemUtils.copyRecursively(this.cluster.node(name).data(), copies);
		this.cluster.restart(name);
		this.cluster.awaitConnected();
		assertThat(this.cluster.node(name).logOfThisStart()).doesNotContain("is to be rebuilt");
	}

	/* Of a node that has ended; it serves again afterwards. */
	private void putBack(String name, Path copies) throws Exception {
		this.cluster.wipe(name);
		FileSystemUtils.copyRecursively(copies, this.cluster.node(name).data());
		this.cluster.restart(name);
	}

	private void requireDeletedThroughAll() throws Exception {
		for (String name : this.cluster.names()) {
			NodeClient reader = this.cluster.client(name).with("replicas=2/3").within(Duration.ofSeconds(5)).patient();
			for (int i = 0; i < KEYS; i++) {
				NodeAnswer answer = reader.get("early-" + i);
				assertThat(answer.statusCode()).as("early-%d through %s: %s", i, name, NodeClient.text(answer))
					.isEqualTo(404);
			}
		}
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
			NodeAnswer answer = asking(replicas).get(name + "-" + i);
			assertThat(answer.statusCode()).as("%s-%d: %s", name, i, NodeClient.text(answer)).isEqualTo(status);
		}
	}

	private NodeClient asking(String replicas) {
		return this.cluster.client("n0").with("replicas=" + replicas).within(Duration.ofSeconds(5)).patient();
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

		private static void requireExpected(Answer answer) {
			assertThat(answer.status()).isIn(200, 201, 202, 404, 503, 504);
		}

		private NodeClient any(SplittableRandom random) {
			return client(this.asked.get(random.nextInt(this.asked.size())));
		}

	}

	private NodeClient client(String name) {
		return this.cluster.client(name).with("replicas=2/3").within(Duration.ofSeconds(5)).patient();
	}

	private String readiness(String name) throws Exception {
		HttpResponse<byte[]> answer = this.cluster.client(name).getPath("/actuator/health/readiness");
		return answer.statusCode() + " " + NodeClient.text(answer);
	}

	private static byte[] text(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
