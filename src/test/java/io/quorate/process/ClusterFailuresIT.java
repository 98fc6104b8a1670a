package io.quorate.process;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A node that is killed or stands still costs neither data nor seconds: requests whose
 * quorum does not need it are answered as before from its first moment on, and it is used
 * again soon after it is back.
 */
class ClusterFailuresIT extends SharedCluster {

	/*
	 * What waits for the dead node waits as long as this. A busy machine may keep any
	 * request waiting for some seconds, and half of them for a while.
	 */
	private static final Duration DEADLINE = Duration.ofSeconds(30);

	private static final Duration WAITED = Duration.ofSeconds(Scale.of(5, 1));

	/* Who waits until a frozen node is given up waits longer than that. */
	private static final Duration GIVEN_UP = Duration.ofSeconds(Scale.of(7, 3));

	private static final Duration FROZEN_FOR_LONG = GIVEN_UP.plusSeconds(1);

	private static final Duration USUAL = Duration.ofMillis(Scale.of(1000, 100));

	private static final Duration WATCHED = Duration.ofSeconds(Scale.of(2, 20));

	/* Attempts to connect come each half a second; on a busy machine each takes long. */
	private static final Duration RECOVERED = Duration.ofSeconds(Scale.of(20, 2));

	private static final int KEYS = 50;

	private static final int VALUE_BYTES = 100;

	@Override
	ClusterProcesses prepared(ClusterProcesses usual) {
		return usual.with("quorate.internode.disconnect-after", GIVEN_UP.toSeconds() + "s");
	}

	@BeforeAll
	void warmUp() throws Exception {
		Latencies warmUp = new Latencies();
		for (int round = 0; round < 3; round++) {
			for (int number = 0; number < KEYS; number++) {
				writeAndRead(warmUp, "n" + number % 3, number);
			}
		}
		Scale.report("ClusterFailuresIT: all nodes up: " + warmUp);
	}

	@Test
	void aKilledNodeDelaysNobody() throws Exception {
		this.cluster.kill9("n1");
		requireUsualAnswers("n1 killed", "n0", "n2");
	}

	@Test
	void aFrozenNodeDelaysNobody() throws Exception {
		this.cluster.freeze("n2");
		requireUsualAnswers("n2 frozen", "n0", "n1");
	}

	@Test
	void aStoppedNodeDelaysNobody() throws Exception {
		assertThat(this.cluster.terminate("n0")).isEqualTo(143);
		requireUsualAnswers("n0 stopped", "n1", "n2");
	}

	@Test
	void aNodeThatIsFrozenBrieflyIsUsedAgainSoon() throws Exception {
		this.cluster.freeze("n1");
		requireUsualAnswers("n1 frozen", Duration.ofMillis(500), "n0", "n2");
		this.cluster.thaw("n1");
		requireRecovery("n1 thawed after half a second");
	}

	@Test
	void aNodeThatWasFrozenForLongIsUsedAgainSoon() throws Exception {
		this.cluster.freeze("n1");
		requireUsualAnswers("n1 frozen", FROZEN_FOR_LONG, "n0", "n2");
		this.cluster.thaw("n1");
		requireRecovery("n1 thawed after %d s".formatted(FROZEN_FOR_LONG.toSeconds()));
	}

	@Test
	void aRestartedNodeIsUsedAgainSoon() throws Exception {
		this.cluster.kill9("n2");
		requireUsualAnswers("n2 killed", Duration.ofSeconds(1), "n0", "n1");
		this.cluster.restart("n2");
		requireRecovery("n2 restarted");
	}

	private void requireUsualAnswers(String what, String... nodes) throws Exception {
		requireUsualAnswers(what, WATCHED, nodes);
	}

	private void requireUsualAnswers(String what, Duration length, String... nodes) throws Exception {
		long end = System.nanoTime() + length.toNanos();
		Latencies latencies = new Latencies();
		for (int number = 0; System.nanoTime() < end; number++) {
			writeAndRead(latencies, nodes[number % nodes.length], number % KEYS);
		}
		Scale.report("ClusterFailuresIT: %s: %s".formatted(what, latencies));
		assertThat(latencies.statuses().keySet()).isEqualTo(Set.of(200, 201));
		assertThat(latencies.slowerThan(WAITED)).as("answers that waited: %s", latencies).isZero();
		assertThat(latencies.percentile(50)).as("%s", latencies).isLessThan(USUAL);
	}

	private void writeAndRead(Latencies latencies, String node, int number) throws Exception {
		NodeClient client = this.cluster.client(node).with("replicas=2/3").within(DEADLINE);
		byte[] value = Contents.of("key-" + number, number, VALUE_BYTES);
		latencies.count(() -> client.put("key-" + number, value));
		assertThat(latencies.count(() -> client.get("key-" + number)).body()).isEqualTo(value);
	}

	/** Three of three are written again through each node. */
	private void requireRecovery(String what) throws Exception {
		long began = System.nanoTime();
		for (String node : List.copyOf(this.cluster.names())) {
			NodeClient client = this.cluster.client(node).with("replicas=3/3").within(RECOVERED);
			long attempts = 1;
			while (client.put("recovered", new byte[VALUE_BYTES]).statusCode() != 201) {
				assertThat(Duration.ofNanos(System.nanoTime() - began))
					.as("%s, %d attempts through %s", what, attempts++, node)
					.isLessThan(RECOVERED);
			}
		}
		Duration took = Duration.ofNanos(System.nanoTime() - began);
		Scale.report("ClusterFailuresIT: %s: 3/3 through all nodes after %d ms".formatted(what, took.toMillis()));
		assertThat(took).as(what).isLessThan(RECOVERED);
	}

}
