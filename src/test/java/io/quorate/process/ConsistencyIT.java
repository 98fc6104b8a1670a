package io.quorate.process;

import java.util.List;

import io.quorate.Handbook;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The reports of a cluster's nodes on their differences, and a repair on request. Needs
 * {@code bash} and {@code curl}.
 */
class ConsistencyIT extends SharedCluster {

	private static final int KEYS = 50;

	@Test
	void theExampleOfTheHandbookIsAnsweredAsItSays() throws Exception {
		long before = writes("n0", "everywhere");
		write("n0", "3/3");
		await().atMost(PATIENCE).until(() -> writes("n0", "everywhere") >= before + KEYS);
		List<ConsoleExample> examples = ConsoleExample.ofHandbook(Handbook.HTTP_API, "Replication lag");
		assertThat(examples).hasSize(1);
		String own = "http://127.0.0.1:" + this.cluster.node("n0").port();
		// On a busy machine the first requests may have been late at a replica, and a
		// peer may be suspect for a moment.
		await().atMost(PATIENCE).untilAsserted(() -> {
			for (String peer : List.of("n1", "n2")) {
				assertThat(pair("n0", peer).get("member").asString()).isEqualTo("up");
			}
			String missed = "\"missed\" : " + writes("n0", "missed");
			String superseded = "\"superseded\" : " + writes("n0", "superseded");
			examples.getFirst()
				.verify((text) -> text.replace("http://localhost:8080", own)
					.replace("\"missed\" : 0", missed)
					.replace("\"superseded\" : 0", superseded));
		});
		JsonNode writes = consistency("n0").get("writes");
		assertThat(writes.get("p50Millis").asDouble()).isPositive();
		assertThat(writes.get("p99Millis").asDouble()).isGreaterThanOrEqualTo(writes.get("p50Millis").asDouble());
	}

	@Test
	void aMissedWriteIsReportedUntilTheReplicaHasIt() throws Exception {
		long before = writes("n0", "missed");
		this.cluster.kill9("n2");
		write("n0", "2/3");
		await().atMost(PATIENCE).until(() -> pair("n0", "n2").at("/hints/count").asInt() == KEYS);
		JsonNode missing = pair("n0", "n2");
		assertThat(missing.get("member").asString()).isEqualTo("disconnected");
		assertThat(missing.at("/hints/bytes").asLong()).isPositive();
		assertThat(missing.at("/hints/oldestSeconds").asDouble()).isPositive();
		assertThat(missing.at("/comparison/led").asString()).isEqualTo("n0");
		assertThat(pair("n1", "n2").at("/hints/count").asInt()).isZero();
		assertThat(writes("n0", "missed")).isGreaterThanOrEqualTo(before + KEYS);
		this.cluster.restart("n2");
		this.cluster.awaitConnected();
		await().atMost(PATIENCE).until(() -> pair("n0", "n2").at("/hints/count").asInt() == 0);
		assertThat(pair("n0", "n2").at("/hints/oldestSeconds").asDouble()).isZero();
	}

	@Test
	void aRepairOfARangeAgreesToNothingAndOneOfAllDoes() throws Exception {
		write("n1", "3/3");
		double before = age("n1", "n0");
		JsonNode range = repair("n1", "{\"start\":\"key-1\",\"end\":\"key-2\",\"peer\":\"n0\"}", 1).getFirst();
		assertThat(range.get("peer").asString()).isEqualTo("n0");
		assertThat(range.get("start").asString()).isEqualTo("key-1");
		assertThat(range.get("end").asString()).isEqualTo("key-2");
		assertThat(range.get("keysCompared").asInt()).isEqualTo(11);
		assertThat(age("n1", "n0")).as("of the last agreement").isGreaterThanOrEqualTo(before);
		double ofOthers = age("n0", "n2");
		double began = System.nanoTime() / 1e9;
		repair("n1", "{}", 2);
		for (String peer : List.of("n0", "n2")) {
			assertThat(age("n1", peer)).as(peer).isLessThanOrEqualTo(System.nanoTime() / 1e9 - began);
			assertThat(age(peer, "n1")).as(peer).isLessThanOrEqualTo(System.nanoTime() / 1e9 - began);
		}
		assertThat(age("n0", "n2")).isGreaterThanOrEqualTo(ofOthers);
	}

	/* Of the last comparison by which two nodes agreed; never is long ago. */
	private double age(String node, String peer) throws Exception {
		return pair(node, peer).at("/comparison/ageSeconds").asDouble(Double.MAX_VALUE);
	}

	private void write(String node, String replicas) throws Exception {
		NodeClient client = this.cluster.client(node).with("replicas=" + replicas);
		for (int number = 0; number < KEYS; number++) {
			assertThat(client.put("key-" + number, Contents.of("value", number, 100)).statusCode()).isEqualTo(201);
		}
	}

	private long writes(String node, String count) throws Exception {
		return consistency(node).at("/writes/" + count).asLong();
	}

}
