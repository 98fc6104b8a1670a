package io.quorate.process;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A cluster whose nodes change to this build from the program before it, back, and to
 * this build again, each time in another order, under load. No request fails while nodes
 * stop in order, and nothing is lost when a new and an old one are killed beside each
 * other. Then the upgrade is finalized, and the program before is refused.
 */
class RollingUpgradeIT {

	private static final String NAME = "RollingUpgradeIT";

	private static final String FINALIZE = "/actuator/upgrade/finalize";

	private static final List<List<String>> ORDERS = List.of(List.of("n2", "n0", "n1"), List.of("n0", "n1", "n2"),
			List.of("n1", "n2", "n0"), List.of("n0", "n2", "n1"), List.of("n2", "n1", "n0"), List.of("n1", "n0", "n2"));

	/* Number of nodes that go back to the program before. */
	private static final int GO_BACK = Scale.of(1, 3);

	private static final Duration PROBE_PERIOD = Duration.ofMillis(Scale.of(250, 100));

	/* Longer than requests take: those that began before it still reach the node. */
	private static final Duration DRAIN_DELAY = Duration.ofMillis(Scale.of(500, 5000));

	private static final Duration HEARD = Duration.ofMinutes(3);

	private static final Duration CONVERGED = Duration.ofMinutes(3);

	private static final int TERMINATED = 143;

	private static final int REFUSED = 1;

	private final PreviousProgram previous = PreviousProgram.get();

	private ClusterProcesses cluster = ClusterProcesses.none();

	private ReadyNodes ready = ReadyNodes.of(this.cluster, PROBE_PERIOD);

	/** In every build one order; at full size all. */
	static Stream<List<String>> orders() {
		return ORDERS.stream().limit(Scale.of(1, ORDERS.size()));
	}

	@BeforeEach
	void startThePreviousProgram(@TempDir Path home) throws IOException {
		this.cluster = ClusterProcesses.in(home, 3)
			.withHeap("192m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.with("quorate.operations.drain-delay", DRAIN_DELAY.toMillis() + "ms")
			.with("quorate.storage.memtable-size", "2MB")
			.with("quorate.repair.interval", "1s")
			.each(this.previous::runOn)
			.start();
		this.ready = ReadyNodes.of(this.cluster, PROBE_PERIOD);
		this.cluster.names().forEach(this.ready::enter);
	}

	@AfterEach
	void stop() {
		this.ready.close();
		this.cluster.close();
	}

	@ParameterizedTest
	@MethodSource("orders")
	void noRequestFailsWhileNodesChangeTheirProgram(List<String> order) throws Exception {
		SplittableRandom random = new SplittableRandom(Scale.seed(NAME));
		Scale.report("%s: from %s, order %s".formatted(NAME, this.previous, order));
		try (UpgradeLoad load = UpgradeLoad.begin(NAME, this.cluster, this.ready, random)) {
			upgradeWithKills(load, order);
			List<String> back = rotated(order).subList(0, GO_BACK);
			load.phase("back");
			replaceAll(load, back, this.previous::runOn);
			load.phase("forwards again");
			replaceAll(load, order.reversed().stream().filter(back::contains).toList(), this.previous::leave);
			load.phase("finalize");
			finalizeThrough(order.getFirst());
			load.end();
			load.requireEverything();
		}
		StoreDigests.awaitSame(this.cluster, CONVERGED);
		assertThat(this.cluster.alarms()).isEmpty();
		requireRefusal(order.getLast());
	}

	private void upgradeWithKills(UpgradeLoad load, List<String> order) throws Exception {
		String newest = order.getFirst();
		String oldest = order.getLast();
		load.phase("forwards");
		replaceAll(load, order.subList(0, order.size() - 1), this.previous::leave);
		HttpResponse<byte[]> answer = this.cluster.client(newest).postPath(FINALIZE, "{}");
		assertThat(answer.statusCode()).as(NodeClient.text(answer)).isEqualTo(409);
		assertThat(NodeClient.text(answer)).contains(oldest);
		load.phase("kill -9 of a new and an old one");
		load.killAndRestart(newest);
		load.killAndRestart(oldest);
		load.phase("forwards, the last one");
		replaceAll(load, List.of(oldest), this.previous::leave);
	}

	private void replaceAll(UpgradeLoad load, List<String> order, Consumer<NodeProcess> program) throws Exception {
		for (String name : order) {
			load.leave(name);
			assertThat(this.cluster.terminate(name)).isEqualTo(TERMINATED);
			assertThat(this.cluster.node(name).logOfThisStart()).contains("Graceful shutdown complete")
				.doesNotContain("are not finished", " although ");
			this.cluster.one(name, program).restart(name);
			this.ready.enter(name);
			// Else those that stay need not have reached it when the next one stops.
			this.cluster.awaitConnected();
		}
	}

	/* A member hears of the others' programs with their keep-alives. */
	private void finalizeThrough(String name) {
		await().atMost(HEARD).untilAsserted(() -> {
			HttpResponse<byte[]> answer = this.cluster.client(name).postPath(FINALIZE, "{}");
			assertThat(answer.statusCode()).as(NodeClient.text(answer)).isEqualTo(200);
		});
		for (String each : this.cluster.names()) {
			await().atMost(HEARD)
				.untilAsserted(() -> assertThat(NodeClient.text(this.cluster.client(each).getPath("/actuator/upgrade")))
					.contains("\"finalized\":true"));
		}
	}

	/** The program before neither starts on a node's directory nor changes it. */
	private void requireRefusal(String name) throws Exception {
		assertThat(this.cluster.terminate(name)).isEqualTo(TERMINATED);
		NodeProcess node = this.cluster.node(name);
		this.previous.runOn(node);
		assertThat(node.launch().awaitExit()).as(node.logOfThisStart()).isEqualTo(REFUSED);
		assertThat(node.logOfThisStart()).contains(this.previous.refusal());
		this.previous.leave(node);
		this.cluster.restart(name);
		this.cluster.awaitConnected();
		StoreDigests.awaitSame(this.cluster, CONVERGED);
	}

	private static List<String> rotated(List<String> order) {
		List<String> rotated = new ArrayList<>(order);
		Collections.rotate(rotated, 1);
		return rotated;
	}

}
