package io.quorate.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The warm-up of nodes in processes of their own. */
@Tag(Scale.FULL)
class WarmUpIT {

	/* The most there may be: the node is killed long before they are made. */
	private static final int MANY = 1_000_000;

	private static final int FEW = 300;

	private static final Duration LIMIT = Duration.ofMinutes(3);

	@TempDir
	Path home;

	@Test
	void aNodeThatIsKilledDuringItsWarmUpKeepsItsData() throws Exception {
		try (NodeProcess node = NodeProcess.in(this.home)) {
			node.start();
			NodeClient client = NodeClient.of(node);
			assertThat(client.put("key", "value".getBytes(UTF_8)).statusCode()).isEqualTo(201);
			assertThat(node.terminate()).isEqualTo(143);

			node.withWarmUp(MANY).with("quorate.warm-up.limit", "1m").launch();
			Path scratch = node.data().resolve("warm-up-0");
			await().atMost(LIMIT).pollInterval(Duration.ofMillis(2)).until(() -> {
				assertThat(node.isAlive()).as(node.logOfThisStart()).isTrue();
				return Files.exists(scratch.resolve("wal"));
			});
			node.kill9();
			assertThat(scratch).exists();

			node.withWarmUp(FEW).start();
			assertThat(node.logOfThisStart()).contains("Warmed up by " + FEW + " requests");
			assertThat(scratch).doesNotExist();
			assertThat(NodeClient.of(node).get("key").body()).isEqualTo("value".getBytes(UTF_8));
			assertThat(node.alarms()).isEmpty();
			assertThat(node.terminate()).isEqualTo(143);
		}
	}

}
