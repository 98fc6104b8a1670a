package io.quorate.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The warm-up of nodes in processes of their own. */
class WarmUpIT {

	private static final int DEFAULT_REQUESTS = 3000;

	private static final Duration LIMIT = Duration.ofSeconds(90);

	@TempDir
	Path home;

	@Test
	void aNodeThatIsKilledDuringItsWarmUpKeepsItsData() throws Exception {
		try (NodeProcess node = NodeProcess.in(this.home)) {
			node.start();
			NodeClient client = NodeClient.of(node);
			assertThat(client.put("key", "value".getBytes(UTF_8)).statusCode()).isEqualTo(201);
			assertThat(node.terminate()).isEqualTo(143);

			node.withWarmUp(DEFAULT_REQUESTS).with("quorate.warm-up.limit", "1m").launch();
			Path scratch = node.data().resolve("warm-up-0");
			await().atMost(LIMIT).pollInterval(Duration.ofMillis(2)).until(() -> Files.exists(scratch.resolve("wal")));
			node.kill9();
			assertThat(scratch).exists();

			node.start();
			assertThat(node.logOfThisStart()).contains("Warmed up by " + DEFAULT_REQUESTS + " requests");
			assertThat(scratch).doesNotExist();
			assertThat(NodeClient.of(node).get("key").body()).isEqualTo("value".getBytes(UTF_8));
			assertThat(node.alarms()).isEmpty();
			assertThat(node.terminate()).isEqualTo(143);
		}
	}

}
