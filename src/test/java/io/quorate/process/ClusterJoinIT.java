package io.quorate.process;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A node that joins a cluster by itself, and again after it was removed. */
@Tag(Scale.FULL)
class ClusterJoinIT {

	private static final int NODES = 4;

	private static final String JOINER = "n3";

	private static final Duration LIMIT = Duration.ofMinutes(3);

	private static final Pattern VERSION = Pattern.compile("\"version\":(\\d+),");

	private ClusterProcesses cluster = ClusterProcesses.none();

	@AfterEach
	void stop() {
		this.cluster.close();
	}

	@Test
	void aNodeJoinsByItselfAndAnewAfterItWasRemoved(@TempDir Path home) throws Exception {
		this.cluster = ClusterProcesses.in(home, NODES)
			.withHeap("192m")
			.with("quorate.cluster.join-hosts", "127.0.0.1");
		String[] members = this.cluster.members().split(",", -1);
		this.cluster.with("quorate.cluster.members", String.join(",", List.of(members).subList(0, NODES - 1)))
			.withReplicationFactor(3)
			.one(JOINER, (node) -> node.with("quorate.cluster.join", members[NODES - 1])
				.with("quorate.cluster.join-by-itself", "true"));
		this.cluster.start("n0", "n1", "n2");
		awaitStable(2, 3);
		this.cluster.start(JOINER);
		awaitStable(4, 4);
		await().atMost(LIMIT).until(() -> ready(JOINER) == 200);
		assertThat(this.cluster.client("n0").put("key", new byte[] { 1 }).statusCode()).isEqualTo(201);
		remove();
		awaitStable(6, 3);
		await().atMost(LIMIT).until(() -> ready(JOINER) == 503);
		this.cluster.terminate(JOINER);
		this.cluster.start(JOINER);
		awaitStable(8, 4);
		await().atMost(LIMIT).until(() -> ready(JOINER) == 200);
		assertThat(this.cluster.node(JOINER).data().resolve("former")).isNotEmptyDirectory();
		assertThat(this.cluster.client(JOINER).get("key").statusCode()).isEqualTo(200);
	}

	/* On a busy machine a member may be suspect for a moment. */
	private void remove() {
		await().atMost(LIMIT).untilAsserted(() -> {
			HttpResponse<byte[]> answer = this.cluster.client("n1")
				.postPath("/actuator/cluster/remove",
						"{\"version\":%d,\"member\":\"%s\"}".formatted(version(status()), JOINER));
			assertThat(answer.statusCode()).as(NodeClient.text(answer)).isEqualTo(202);
		});
	}

	private void awaitStable(long least, int members) {
		await().atMost(LIMIT).untilAsserted(() -> {
			String status = status();
			assertThat(version(status)).as(status).isGreaterThanOrEqualTo(least);
			assertThat(status).contains("\"state\":\"stable\"", "\"blockedBy\":[]");
			assertThat(status.split("\"adopted\":" + version(status) + "[,}]", -1)).as(status).hasSize(members + 1);
		});
	}

	private String status() throws Exception {
		return NodeClient.text(this.cluster.client("n0").getPath("/actuator/cluster"));
	}

	private static long version(String status) {
		Matcher version = VERSION.matcher(status);
		assertThat(version.find()).as(status).isTrue();
		return Long.parseLong(version.group(1));
	}

	private int ready(String name) throws Exception {
		return this.cluster.client(name).getPath("/actuator/health/readiness").statusCode();
	}

}
