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

	/* A rebuild waits for it. */
	private static final Duration LONGEST = Duration.ofSeconds(3);

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
		try (ClusterProcesses cluster = ClusterProcesses.in(home, 3)
			.with("quorate.coordinator.max-timeout", LONGEST.toSeconds() + "s");
				NodeProcess second = NodeProcess.in(home.resolve("second"))
					.with("quorate.coordinator.max-timeout", LONGEST.toSeconds() + "s")
					.with("quorate.node.id", "n1")
					.with("quorate.cluster.members", cluster.members())
					.with("quorate.internode.address", "127.0.0.5")) {
			cluster.start();
			for (NodeProcess each : cluster.nodes()) {
				await()
					.untilAsserted(() -> assertThat(text(each, "/actuator/cluster")).contains("\"state\":\"stable\""));
			}
			second.start();
			String both = "two processes are n1: 127.0.0.1:%d and 127.0.0.5:%1$d"
				.formatted(cluster.internodePort("n1"));
			for (NodeProcess each : List.of(cluster.node("n0"), cluster.node("n1"), cluster.node("n2"), second)) {
				await().untilAsserted(() -> assertThat(each.log()).contains(both));
				assertThat(text(each, "/v0/status")).contains(both);
			}
			assertThat(readiness(second)).isEqualTo(503);
			assertThat(readiness(cluster.node("n1"))).isEqualTo(200);
			for (String replicas : List.of("1/1", "1/3", "2/3", "3/3")) {
				assertThat(client(second, replicas).put("lost", value).statusCode()).as(replicas)
					.isGreaterThanOrEqualTo(500);
			}
			assertThat(client(cluster.node("n0"), "3/3").patient().put("kept", value).statusCode()).isEqualTo(201);
			cluster.kill9("n1");
			// At the address where it is looked for.
			second.kill9();
			second.with("quorate.internode.address", "127.0.0.1").start();
			await().atMost(Duration.ofMinutes(3)).until(() -> readiness(second) == 200);
			assertThat(client(second, "3/3").patient().put("later", value).statusCode()).isEqualTo(201);
			cluster.kill9("n0");
			cluster.kill9("n2");
			for (String key : List.of("kept", "later")) {
				assertThat(client(second, "1/3").patient().get(key).body()).as(key).isEqualTo(value);
			}
		}
	}

	private static NodeClient client(NodeProcess node, String replicas) {
		return NodeClient.of(node).with("replicas=" + replicas).within(LONGEST);
	}

	private static String text(NodeProcess node, String path) throws Exception {
		return NodeClient.text(NodeClient.of(node).getPath(path));
	}

	private static int readiness(NodeProcess node) throws Exception {
		return NodeClient.of(node).getPath("/actuator/health/readiness").statusCode();
	}

}
