package io.quorate.process;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.quorate.entry.Key;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A node of a cluster starts with the members and the data that belong together, or not
 * at all; and alone only with what it knows itself.
 */
@Tag(Scale.FULL)
class ClusterStartIT {

	private static final byte[] VALUE = "value".getBytes(StandardCharsets.UTF_8);

	private static final Duration REBUILT = Duration.ofMinutes(3);

	/* Readiness is one of Boot's; it is down before a majority was met. */
	private static final String READINESS = "/actuator/health/readiness";

	@Test
	void listsOfMembersThatCannotBeAreRefused(@TempDir Path home) throws Exception {
		NodeProcess node = NodeProcess.in(home).withHeap("128m").withJvm("-XX:TieredStopAtLevel=1");
		try (node) {
			node.with("quorate.cluster.members", "n1@127.0.0.1:7101,n2@127.0.0.1:7102");
			requireRefusal(node, "this node, 'n0' (quorate.node.id), is not among the members");
			node.with("quorate.cluster.members", "n0@127.0.0.1:7100,n1@127.0.0.1:7101,n1@127.0.0.1:7102");
			requireRefusal(node, "two members have the id 'n1'");
			node.with("quorate.cluster.members", "n0@127.0.0.1:7100,n1:7101");
			requireRefusal(node, "'n1:7101' is no member: it must be id@host:port or id@host:port/zone");
			node.with("quorate.cluster.members", "n0@127.0.0.1:7100,n1@127.0.0.1:7101")
				.with("quorate.cluster.replication-factor", "3");
			requireRefusal(node, "the replication factor must be 1 to the number of members, 2, not 3");
			assertThat(Files.exists(node.data())).as("a refused start leaves nothing behind").isFalse();
		}
	}

	@Test
	void directoriesOfAnotherClusterAreRefused(@TempDir Path home) throws Exception {
		try (ClusterProcesses cluster = quick(home)) {
			cluster.start("n0");
			cluster.kill9("n0");
			NodeProcess node = cluster.node("n0");
			String members = cluster.members();
			requireRefusal(node.with("quorate.node.id", "n1"), "node is 'n0' on disk and 'n1' by configuration");
			node.with("quorate.node.id", "n0").with("quorate.cluster.name", "elsewhere");
			requireRefusal(node, "cluster is 'quorate' on disk and 'elsewhere' by configuration");
			node.without("quorate.cluster.name").with("quorate.cluster.replication-factor", "2");
			requireRefusal(node, "replication-factor is '3' on disk and '2' by configuration");
			node.without("quorate.cluster.replication-factor")
				.with("quorate.cluster.members", members + ",n3@127.0.0.1:7199");
			requireRefusal(node, "members is 'n0,n1,n2' on disk and 'n0,n1,n2,n3' by configuration");
			node.with("quorate.cluster.members", members.replace(",", "/a,") + "/a");
			requireRefusal(node, "members is 'n0,n1,n2' on disk and 'n0/a,n1/a,n2/a' by configuration");
			node.with("quorate.cluster.members", members);
			node.start();
		}
	}

	@Test
	void aPortInUseIsSaid(@TempDir Path home) throws Exception {
		try (ClusterProcesses cluster = quick(home)) {
			cluster.start("n0");
			NodeProcess second = cluster.node("n1")
				.with("quorate.cluster.members",
						cluster.members()
							.replace("n1@127.0.0.1:" + cluster.internodePort("n1"),
									"n1@localhost:" + cluster.internodePort("n0")));
			requireRefusal(second, "peers cannot be served at 127.0.0.1:" + cluster.internodePort("n0"),
					"Another process may use the port");
		}
	}

	@Test
	void aNodeWithoutCertificatesListensForOthersOnPurposeOnly(@TempDir Path home) throws Exception {
		try (ClusterProcesses cluster = quick(home)) {
			NodeProcess node = cluster.node("n0").with("quorate.internode.address", "0.0.0.0");
			requireRefusal(node, "which is not loopback, and nodes have no certificates", "quorate.internode.tls=off");
			node.with("quorate.internode.tls", "off").start();
			assertThat(node.logOfThisStart()).contains("any process that reaches it may do everything");
		}
	}

	@Test
	void aNodeWithANewDirectoryIsNotReadBeforeItHasMetAMajority(@TempDir Path home) throws Exception {
		try (ClusterProcesses cluster = quick(home).start()) {
			assertThat(cluster.client("n0").with("replicas=3/3").put("kept", VALUE).statusCode()).isEqualTo(201);
			for (String name : cluster.names()) {
				assertThat(cluster.client(name).getPath(READINESS).statusCode()).as(name).isEqualTo(200);
				cluster.kill9(name);
			}
			cluster.restartWiped("n0");
			assertThat(cluster.client("n0").status()).isEqualTo(200);
			assertThat(cluster.client("n0").getPath(READINESS).statusCode()).isEqualTo(503);
			for (String replicas : List.of("1/3", "2/3")) {
				requireNotEnough(cluster, replicas);
			}
			cluster.kill9("n0");
			cluster.restart("n0");
			requireNotEnough(cluster, "1/3");
			cluster.start("n1", "n2");
			cluster.awaitConnected();
			await().atMost(REBUILT).until(() -> cluster.client("n0").getPath(READINESS).statusCode() == 200);
			for (String name : cluster.names()) {
				assertThat(cluster.client(name).with("replicas=2/3").get("kept").body()).as(name).isEqualTo(VALUE);
			}
			assertThat(cluster.alarms()).isEmpty();
		}
	}

	private static void requireNotEnough(ClusterProcesses cluster, String replicas) throws Exception {
		NodeAnswer answer = cluster.client("n0").with("replicas=" + replicas).get("kept");
		assertThat(answer.statusCode()).as("%s: %s", replicas, answer.text()).isEqualTo(504);
	}

	@Test
	void aNodeWithItsOldDirectoryServesAloneWhatItHolds(@TempDir Path home) throws Exception {
		Ring ring = Ring.of(List.of(Member.of("n0"), Member.of("n1"), Member.of("n2")), 3);
		try (ClusterProcesses cluster = quick(home).start()) {
			Map<String, String> keys = new LinkedHashMap<>();
			for (int number = 0; number < 30; number++) {
				keys.put("key-" + number, ring.preferenceList(Key.of("key-" + number)).getFirst().id());
				assertThat(cluster.client("n0").with("replicas=1/1").put("key-" + number, VALUE).statusCode())
					.isEqualTo(201);
			}
			for (String name : cluster.names()) {
				assertThat(cluster.terminate(name)).isEqualTo(143);
			}
			for (String alone : cluster.names()) {
				cluster.restart(alone);
				for (Map.Entry<String, String> key : keys.entrySet()) {
					int status = cluster.client(alone).with("replicas=1/1").get(key.getKey()).statusCode();
					assertThat(status).as("%s through %s", key, alone)
						.isEqualTo(key.getValue().equals(alone) ? 200 : 504);
				}
				assertThat(cluster.client(alone).getPath(READINESS).statusCode()).as(alone).isEqualTo(503);
				cluster.kill9(alone);
			}
			assertThat(cluster.alarms()).isEmpty();
		}
	}

	private static ClusterProcesses quick(Path home) throws Exception {
		return ClusterProcesses.in(home, 3).withHeap("128m").withJvm("-XX:TieredStopAtLevel=1");
	}

	private static void requireRefusal(NodeProcess node, String... told) throws Exception {
		node.launch();
		assertThat(node.awaitExit()).as(node.logOfThisStart()).isEqualTo(1);
		assertThat(node.logOfThisStart()).contains(told).doesNotContain("\tat io.quorate");
	}

}
