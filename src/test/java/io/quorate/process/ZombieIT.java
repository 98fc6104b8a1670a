package io.quorate.process;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What was deleted while a replica was away for longer than the grace period. */
class ZombieIT {

	private static final Duration GRACE = Duration.ofSeconds(4);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final int KEYS = 50;

	private ClusterProcesses cluster = ClusterProcesses.none();

	@BeforeEach
	void startCluster(@TempDir Path home) throws Exception {
		this.cluster = ClusterProcesses.in(home, 3)
			.withHeap("192m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.with("quorate.repair.grace-period", GRACE.toSeconds() + "s")
			.with("quorate.repair.hint-window", "1s")
			.with("quorate.repair.interval", "500ms")
			.with("quorate.coordinator.max-timeout", "3s")
			.start();
		for (int i = 0; i < KEYS; i++) {
			assertThat(client("n0", "3/3").put("k" + i, "v".getBytes(StandardCharsets.UTF_8)).statusCode())
				.isEqualTo(201);
		}
	}

	@AfterEach
	void stopCluster() {
		this.cluster.close();
	}

	@Test
	void nothingIsPurgedWhileAReplicaIsAwayAndAllIsAfterItsReturn() throws Exception {
		this.cluster.kill9("n2");
		deleteAll();
		awaitWithheld("n0", "away");
		awaitWithheld("n1", "away");
		for (String name : new String[] { "n0", "n1" }) {
			assertThat(StoreDigests.of(this.cluster.client(name)).tombstones()).as(name).isGreaterThanOrEqualTo(KEYS);
		}
		this.cluster.restart("n2");
		this.cluster.awaitConnected();
		for (String name : this.cluster.names()) {
			await().atMost(PATIENCE)
				.untilAsserted(
						() -> assertThat(StoreDigests.of(this.cluster.client(name)).entries()).as(name).isZero());
		}
		requireDeleted();
		assertThat(this.cluster.node("n2").logOfThisStart()).doesNotContain("is to be rebuilt");
		this.cluster.terminate("n2");
		this.cluster.restart("n2");
		this.cluster.awaitConnected();
		requireDeleted();
		assertThat(this.cluster.alarms()).isEmpty();
	}

	@Test
	void whatWasPurgedWithoutALostReplicaStaysDeletedWhenItComesBack() throws Exception {
		this.cluster.kill9("n2");
		deleteAll();
		awaitWithheld("n0", "away");
		for (String name : new String[] { "n0", "n1" }) {
			assertThat(this.cluster.client(name)
				.postPath("/actuator/recovery/declare-lost", "{\"member\":\"n2\"}")
				.statusCode()).isEqualTo(200);
		}
		for (String name : new String[] { "n0", "n1" }) {
			await().atMost(PATIENCE)
				.untilAsserted(
						() -> assertThat(StoreDigests.of(this.cluster.client(name)).entries()).as(name).isZero());
		}
		this.cluster.restart("n2");
		await().atMost(PATIENCE).until(() -> this.cluster.node("n2").logOfThisStart().contains("declared it lost"));
		requireDeletedThrough("n0");
		requireDeletedThrough("n1");
		await().atMost(PATIENCE).until(() -> this.cluster.node("n2").logOfThisStart().contains("This node is rebuilt"));
		this.cluster.awaitConnected();
		requireDeleted();
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(StoreDigests.of(this.cluster.client("n2")).entries()).isZero());
		requireDeleted();
		assertThat(this.cluster.alarms()).isEmpty();
	}

	private void deleteAll() throws Exception {
		for (int i = 0; i < KEYS; i++) {
			assertThat(client("n0", "2/3").delete("k" + i).statusCode()).isEqualTo(202);
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
		return this.cluster.client(name).with("replicas=" + replicas).within(Duration.ofSeconds(2));
	}

}
