package io.quorate.process;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A directory has one process, and a member one directory: another harms nothing. */
@Tag(Scale.FULL)
class SecondProcessIT {

	@Test
	void aSecondProcessOnTheSameDirectoryRefusesAndNamesTheFirst(@TempDir Path home) throws Exception {
		byte[] value = "here".getBytes(StandardCharsets.UTF_8);
		try (NodeProcess first = NodeProcess.in(home.resolve("first")).start();
				NodeProcess second = NodeProcess.in(home.resolve("second"))
					.with("quorate.storage.directory", first.data().toString())) {
			NodeClient client = NodeClient.of(first);
			assertThat(client.put("before", value).statusCode()).isEqualTo(201);
			assertThat(second.launch().awaitExit()).isNotZero();
			assertThat(second.log()).contains(first.data().toString(), "is in use by process " + first.pid());
			assertThat(client.put("after", value).statusCode()).isEqualTo(201);
			assertThat(client.get("before").body()).isEqualTo(value);
			first.kill9();
			second.start();
			assertThat(NodeClient.of(second).get("after").body()).isEqualTo(value);
			assertThat(first.alarms()).isEmpty();
			assertThat(first.log().lines().filter((line) -> line.contains("Serving http"))).singleElement()
				.asString()
				.endsWith(
						"Serving http://127.0.0.1:%d to every program on this machine, without authentication; data in %s; cluster quorate, node n0, alone"
							.formatted(first.port(), first.data()));
			assertThat(first.log()).doesNotContain(":: Spring Boot ::");
		}
	}

	@Test
	void aSecondProcessOfAMemberAcknowledgesNothing(@TempDir Path home) throws Exception {
		byte[] value = "here".getBytes(StandardCharsets.UTF_8);
		try (ClusterProcesses cluster = ClusterProcesses.in(home, 3).with("quorate.coordinator.max-timeout", "3s");
				NodeProcess second = NodeProcess.in(home.resolve("second"))
					.with("quorate.coordinator.max-timeout", "3s")
					.with("quorate.node.id", "n1")
					.with("quorate.cluster.members", cluster.members())
					.with("quorate.internode.address", "127.0.0.5")) {
			cluster.start();
			await().untilAsserted(
					() -> cluster.nodes().forEach((node) -> assertThat(node.logOfThisStart()).contains("version 2 (")));
			second.start();
			String both = "two processes are n1: 127.0.0.1:%d and 127.0.0.5:%1$d"
				.formatted(cluster.internodePort("n1"));
			for (NodeProcess each : List.of(cluster.node("n0"), cluster.node("n1"), cluster.node("n2"), second)) {
				await().untilAsserted(() -> assertThat(each.log()).contains(both));
				assertThat(status(each)).contains(both);
			}
			assertThat(readiness(second)).isEqualTo(503);
			assertThat(readiness(cluster.node("n1"))).isEqualTo(200);
			for (String replicas : List.of("1/1", "1/3", "2/3", "3/3")) {
				assertThat(NodeClient.of(second).with("replicas=" + replicas).put("lost", value).statusCode())
					.as(replicas)
					.isGreaterThanOrEqualTo(500);
			}
			assertThat(cluster.client("n0").with("replicas=3/3").put("kept", value).statusCode()).isEqualTo(201);
			cluster.kill9("n1");
			// At the address where it is looked for.
			second.kill9();
			second.with("quorate.internode.address", "127.0.0.1").start();
			await().atMost(Duration.ofMinutes(3)).until(() -> readiness(second) == 200);
			assertThat(NodeClient.of(second).with("replicas=3/3").put("later", value).statusCode()).isEqualTo(201);
			cluster.kill9("n0");
			cluster.kill9("n2");
			for (String key : List.of("kept", "later")) {
				assertThat(NodeClient.of(second).with("replicas=1/3").get(key).body()).as(key).isEqualTo(value);
			}
		}
	}

	private static String status(NodeProcess node) throws Exception {
		return NodeClient.text(NodeClient.of(node).getPath("/v0/status"));
	}

	private static int readiness(NodeProcess node) throws Exception {
		return NodeClient.of(node).getPath("/actuator/health/readiness").statusCode();
	}

}
