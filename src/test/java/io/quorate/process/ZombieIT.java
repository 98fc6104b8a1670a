package io.quorate.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Deletions while a replica was away for longer than the grace period. */
@Tag(Scale.FULL)
class ZombieIT {

	private static final Duration GRACE = Duration.ofSeconds(4);

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private static final Duration SET_BACK = Duration.ofSeconds(40);

	private static final int KEYS = 50;

	private ClusterProcesses cluster = ClusterProcesses.none();

	private final Map<String, WallClock> clocks = new HashMap<>();

	@BeforeEach
	void startCluster(@TempDir Path home) throws Exception {
		this.cluster = ClusterProcesses.in(home, 3)
			.withHeap("192m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.with("quorate.repair.grace-period", GRACE.toSeconds() + "s")
			.with("quorate.repair.hint-window", "3s")
			.with("quorate.repair.interval", "500ms")
			.with("quorate.coordinator.max-timeout", "3s")
			.with("quorate.storage.memtable-size", "512KB");
		for (String name : List.of("n0", "n1")) {
			this.clocks.put(name, WallClock.of(this.cluster.node(name)));
		}
		this.cluster.start();
		putAll("n0", "3/3");
	}

	private void putAll(String name, String replicas) throws Exception {
		for (int i = 0; i < KEYS; i++) {
			assertThat(client(name, replicas).put("k" + i, "v".getBytes(StandardCharsets.UTF_8)).statusCode())
				.isEqualTo(201);
		}
	}

	@AfterEach
	void stopCluster() {
		this.cluster.close();
	}

	@Test
	void noTombstoneIsPurgedWhileAReplicaIsAwayAndAllAfterItsReturn() throws Exception {
		this.cluster.kill9("n2");
		deleteAll("n0");
		awaitWithheld("n0", "away");
		awaitWithheld("n1", "away");
		int fillers = fillUntilCompacted(0, "n0", "n1");
		for (String name : new String[] { "n0", "n1" }) {
			assertThat(StoreDigests.of(this.cluster.client(name)).tombstones()).as(name).isGreaterThanOrEqualTo(KEYS);
		}
		this.cluster.restart("n2");
		this.cluster.awaitConnected();
		for (String name : this.cluster.names()) {
			await().atMost(PATIENCE)
				.untilAsserted(
						() -> assertThat(StoreDigests.of(this.cluster.client(name)).tombstones()).as(name).isZero());
		}
		requireDeleted();
		assertThat(this.cluster.node("n2").logOfThisStart()).doesNotContain("is to be rebuilt");
		fillers = fillUntilCompacted(fillers, "n0", "n1", "n2");
		this.cluster.terminate("n2");
		this.cluster.restart("n2");
		this.cluster.awaitConnected();
		requireDeleted();
		assertThat(StoreDigests.awaitSame(this.cluster, PATIENCE).entries()).isBetween((long) fillers,
				(long) fillers + this.cluster.probes());
		assertThat(this.cluster.alarms()).isEmpty();
	}

	/*
	 * The replica comes back with what was deleted, and with hints of it for another one
	 * that are older than the purge; its clock, set back, takes them for young.
	 */
	@Test
	void aPurgedEntryStaysDeletedWhenALostReplicaReturnsWithHints() throws Exception {
		this.cluster.kill9("n2");
		// Their hybrid clocks stand until then: the hints do not get old while they are
		// written, however long that takes.
		setBack("n0", SET_BACK);
		setBack("n1", SET_BACK);
		putAll("n0", "2/3");
		// More of them if a put took so long that it was sent again.
		double owed = await().atMost(PATIENCE)
			.until(() -> MeterReadings.of(this.cluster.client("n0")).sum("quorate_hints_owed", "peer=\"n2\""),
					(hints) -> hints >= KEYS);
		this.cluster.kill9("n0");
		setBack("n1", Duration.ZERO);
		this.cluster.restart("n2");
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(client("n1", "2/3").delete("nothing").statusCode()).isEqualTo(202));
		deleteAll("n1");
		declareLost("n0");
		this.cluster.restart("n0");
		await().atMost(PATIENCE).until(() -> this.cluster.node("n0").logOfThisStart().contains("declared it lost"));
		requireDeletedThrough("n1");
		requireDeletedThrough("n2");
		await().atMost(PATIENCE).untilAsserted(() -> {
			MeterReadings meters = MeterReadings.of(this.cluster.client("n0"));
			assertThat(meters.sum("quorate_hints_owed", "peer=\"n2\"")).isZero();
			assertThat(meters.sum("quorate_hints_handed_over_total", "peer=\"n2\"")).isZero();
			assertThat(meters.sum("quorate_hints_dropped_total", "reason=\"fenced\"")
					+ meters.sum("quorate_hints_dropped_total", "reason=\"expired\""))
				.isEqualTo(owed);
		});
		setBack("n0", Duration.ZERO);
		await().atMost(PATIENCE).until(() -> this.cluster.node("n0").logOfThisStart().contains("This node is rebuilt"));
		this.cluster.awaitConnected();
		requireDeleted();
		for (String name : this.cluster.names()) {
			awaitNothingOn(name);
		}
		requireDeleted();
		assertThat(this.cluster.alarms()).isEmpty();
	}

	private void setBack(String name, Duration by) throws IOException {
		Objects.requireNonNull(this.clocks.get(name)).set(by.negated());
	}

	/** Writes more and more until each of these nodes has merged tables. */
	private int fillUntilCompacted(int first, String... names) throws Exception {
		Map<String, Double> before = new HashMap<>();
		for (String name : names) {
			before.put(name, compactions(name));
		}
		int next = first;
		for (String name : names) {
			long deadline = System.nanoTime() + PATIENCE.toNanos();
			while (compactions(name) <= before.getOrDefault(name, 0.0)) {
				assertThat(System.nanoTime()).as("time until %s compacts", name).isLessThan(deadline);
				for (int end = next + 50; next < end; next++) {
					assertThat(
							client("n0", "2/3").put("filler-" + next, Contents.of("filler", next, 4000)).statusCode())
						.isEqualTo(201);
				}
			}
		}
		return next;
	}

	private double compactions(String name) throws Exception {
		return MeterReadings.of(this.cluster.client(name)).sum("quorate_storage_compaction_seconds_count");
	}

	/** On the others, which then purge without it. */
	private void declareLost(String lost) throws Exception {
		for (String name : this.cluster.others(lost)) {
			assertThat(this.cluster.client(name)
				.postPath("/actuator/recovery/declare-lost", "{\"member\":\"%s\"}".formatted(lost))
				.statusCode()).isEqualTo(200);
		}
		for (String name : this.cluster.others(lost)) {
			awaitNothingOn(name);
		}
	}

	private void awaitNothingOn(String name) {
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(StoreDigests.of(this.cluster.client(name)).entries()).as(name).isZero());
	}

	private void deleteAll(String name) throws Exception {
		for (int i = 0; i < KEYS; i++) {
			assertThat(client(name, "2/3").delete("k" + i).statusCode()).isEqualTo(202);
		}
	}

	private void requireDeleted() throws Exception {
		for (String name : this.cluster.names()) {
			requireDeletedThrough(name);
		}
	}

	private void requireDeletedThrough(String name) throws Exception {
		for (int i = 0; i < KEYS; i++) {
			assertThat(client(name, "2/3").get("k" + i).statusCode()).as("k%d through %s", i, name).isEqualTo(404);
		}
	}

	private void awaitWithheld(String name, String reason) {
		Pattern row = Pattern.compile(
				"(?m)^quorate_purge_withheld_seconds\\{[^}]*peer=\"n2\"[^}]*reason=\"" + reason + "\"[^}]*} (\\S+)$");
		await().atMost(PATIENCE).untilAsserted(() -> {
			Matcher found = row.matcher(NodeClient.text(this.cluster.client(name).getPath("/actuator/prometheus")));
			assertThat(found.find()).isTrue();
			assertThat(Double.parseDouble(found.group(1))).isGreaterThan((double) GRACE.toSeconds());
		});
	}

	private NodeClient client(String name, String replicas) {
		return this.cluster.client(name).with("replicas=" + replicas).within(Duration.ofSeconds(2)).patient();
	}

}
