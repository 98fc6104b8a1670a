package io.quorate.process;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Nodes that are told to stop while others are, or are away. */
@Tag(Scale.FULL)
class StopsTogetherIT {

	private static final int TERMINATED = 143;

	/* The longest there is: a stop that waits for all of it is given up as hung. */
	private static final Duration WAIT = Duration.ofMinutes(5);

	private static final Duration SHORT_WAIT = Duration.ofSeconds(3);

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private ClusterProcesses cluster = ClusterProcesses.none();

	@BeforeEach
	void prepareCluster(@TempDir Path home) throws IOException {
		this.cluster = ClusterProcesses.in(home, 3)
			.withHeap("192m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.with("quorate.operations.stop-limit", "330s")
			.with("quorate.operations.leave-wait", WAIT.toSeconds() + "s");
	}

	@AfterEach
	void stopCluster() {
		this.cluster.close();
	}

	@Test
	void theSecondNodeStopsOnceTheFirstIsBackWithAllItHasMissed() throws Exception {
		this.cluster.start();
		this.cluster.node("n2").tell();
		this.cluster.node("n1").tell();
		await().atMost(PATIENCE).until(() -> !isAlive("n1") || !isAlive("n2"));
		String first = isAlive("n1") ? "n2" : "n1";
		String second = isAlive("n1") ? "n1" : "n2";
		assertThat(this.cluster.node(first).awaitExit()).isEqualTo(TERMINATED);
		for (int i = 0; i < 20; i++) {
			assertThat(this.cluster.client("n0").put("key-" + i, new byte[] { 1 }).statusCode())
				.as("two of three are there")
				.isEqualTo(201);
		}
		assertThat(isAlive(second)).isTrue();
		String waits = "The stop of this node waits, for up to %d s, because".formatted(WAIT.toSeconds());
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(log(second)).contains(waits));
		assertThat(log(second)).doesNotContain("and serves for");
		this.cluster.restart(first);
		assertThat(this.cluster.node(second).awaitExit()).isEqualTo(TERMINATED);
		assertThat(log(second)).contains("and serves for").doesNotContain("although");
		assertThat(this.cluster.client(first).with("replicas=1/3").get("key-7").statusCode()).isEqualTo(200);
	}

	@Test
	void allTogetherDoNotWaitForEachOther() throws Exception {
		this.cluster.start();
		long begun = System.nanoTime();
		this.cluster.nodes().forEach(NodeProcess::tell);
		for (NodeProcess node : this.cluster.nodes()) {
			assertThat(node.awaitExit()).isEqualTo(TERMINATED);
		}
		Duration took = Duration.ofNanos(System.nanoTime() - begun);
		Scale.report("StopsTogetherIT: all three are gone after %d ms".formatted(took.toMillis()));
		this.cluster.nodes().forEach((node) -> assertThat(node.logOfThisStart()).doesNotContain("although"));
	}

	@Test
	void whileAnotherIsAwayANodeWaitsNoLongerThanItMay() throws Exception {
		this.cluster.one("n0", (node) -> node.with("quorate.operations.leave-wait", SHORT_WAIT.toSeconds() + "s"))
			.start();
		this.cluster.kill9("n1");
		await().atMost(PATIENCE)
			.until(() -> this.cluster.client("n0").with("replicas=2/3").get("nothing").statusCode() == 404);
		long begun = System.nanoTime();
		assertThat(this.cluster.terminate("n0")).isEqualTo(TERMINATED);
		assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(SHORT_WAIT);
		assertThat(log("n0")).contains("The node stops after 3 s although n1 is disconnected");
	}

	private boolean isAlive(String name) {
		return this.cluster.node(name).isAlive();
	}

	private String log(String name) {
		return this.cluster.node(name).logOfThisStart();
	}

}
