package io.quorate.process;

import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A node that is killed or stands still costs neither data nor deadlines: requests whose
 * quorum does not need it are answered from its first moment on, and it is used again
 * when it is back.
 */
class ClusterFailuresIT extends SharedCluster {

	private static final int KEYS = 50;

	private static final int VALUE_BYTES = 100;

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
		requireUsualAnswers("n1 frozen", "n0", GIVES_UP);
		this.cluster.thaw("n1");
		requireRecovery("n1 thawed");
	}

	@Test
	void aNodeThatWasFrozenForLongIsUsedAgainSoon() throws Exception {
		this.cluster.freeze("n1");
		await().atMost(PATIENCE).untilAsserted(() -> {
			requireUsualAnswers("n1 frozen", "n0", GIVES_UP);
			assertThat(member(GIVES_UP, "n1")).isEqualTo("disconnected");
		});
		requireUsualAnswers("n1 given up", "n0", GIVES_UP);
		this.cluster.thaw("n1");
		requireRecovery("n1 thawed after it was given up");
	}

	@Test
	void aRestartedNodeIsUsedAgainSoon() throws Exception {
		this.cluster.kill9("n2");
		requireUsualAnswers("n2 killed", "n0", "n1");
		this.cluster.restart("n2");
		requireRecovery("n2 restarted");
	}

	/* What waits for the other node is not answered before its deadline. */
	private void requireUsualAnswers(String what, String... nodes) throws Exception {
		Latencies latencies = new Latencies();
		for (int number = 0; number < 2 * KEYS; number++) {
			NodeClient client = this.cluster.client(nodes[number % nodes.length]).with("replicas=2/3").within(DEADLINE);
			String key = "failures-" + number % KEYS;
			byte[] value = Contents.of(key, number, VALUE_BYTES);
			latencies.count(() -> client.put(key, value));
			assertThat(latencies.count(() -> client.get(key)).body()).isEqualTo(value);
		}
		Scale.report("ClusterFailuresIT: %s: %s".formatted(what, latencies));
		assertThat(latencies.statuses().keySet()).isEqualTo(Set.of(200, 201));
	}

	/** Three of three are written again through each node. */
	private void requireRecovery(String what) {
		long began = System.nanoTime();
		for (String node : this.cluster.names()) {
			NodeClient client = this.cluster.client(node).with("replicas=3/3").within(DEADLINE);
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThat(client.put("failures-recovered", new byte[VALUE_BYTES]).statusCode())
					.as("%s, through %s", what, node)
					.isEqualTo(201));
		}
		Scale.report("ClusterFailuresIT: %s: 3/3 through all nodes after %d ms".formatted(what,
				(System.nanoTime() - began) / 1_000_000));
	}

}
