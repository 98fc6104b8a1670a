package io.quorate.process;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Ranges while members are upgraded, one after the other: what a member of the program
 * before cannot answer is answered without it, or refused.
 */
@Tag(Scale.FULL)
class OlderMembersRangeIT {

	private static final int KEYS = 40;

	private static final String KEYS_ONLY = "prefix=k&keys=true";

	private static final String REVERSE = "prefix=k&reverse=true&keys=true";

	private final PreviousProgram previous = new PreviousProgram(null, 6);

	private ClusterProcesses cluster = ClusterProcesses.none();

	@BeforeEach
	void startThePreviousProgram(@TempDir Path home) throws IOException {
		this.cluster = ClusterProcesses.in(home, 3)
			.withHeap("192m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.each(this.previous::runOn)
			.start();
	}

	@AfterEach
	void stop() {
		this.cluster.close();
	}

	@Test
	void rangesAreAnsweredByTheMembersThatCan() throws Exception {
		for (int number = 0; number < KEYS; number++) {
			String key = "k%03d".formatted(number);
			assertThat(this.cluster.client("n1").put(key, Contents.of(key, 0, 20_000)).statusCode()).isEqualTo(201);
		}
		upgrade("n0");
		requireKeys("n0", KEYS_ONLY + "&replicas=3/3", "k000");
		HttpResponse<byte[]> refused = range("n0", REVERSE + "&replicas=2/3");
		assertThat(refused.statusCode()).as(NodeClient.text(refused)).isEqualTo(501);
		assertThat(NodeClient.text(refused)).contains("urn:quorate:problem:older-members");
		requireKeys("n0", REVERSE + "&replicas=1/3", "k039");
		upgrade("n1");
		requireKeys("n0", REVERSE + "&replicas=2/3", "k039");
		requireKeys("n1", KEYS_ONLY + "&replicas=3/3", "k000");
		assertThat(range("n1", REVERSE + "&replicas=3/3").statusCode()).isEqualTo(501);
		upgrade("n2");
		requireKeys("n2", REVERSE + "&replicas=3/3", "k039");
		assertThat(this.cluster.alarms()).isEmpty();
	}

	private void upgrade(String name) throws Exception {
		this.cluster.terminate(name);
		this.cluster.one(name, this.previous::leave).restart(name);
		this.cluster.awaitConnected();
	}

	/* Connections to the member that was restarted come one after the other. */
	private void requireKeys(String node, String range, String first) {
		await().atMost(Duration.ofMinutes(3)).untilAsserted(() -> {
			HttpResponse<byte[]> answer = range(node, range);
			assertThat(answer.statusCode()).as(NodeClient.text(answer)).isEqualTo(200);
			assertThat(NodeClient.text(answer)).startsWith("{\"key\":\"" + first + "\",\"size\":20000,")
				.endsWith("{\"last\":true,\"records\":" + KEYS + "}\n");
		});
	}

	private HttpResponse<byte[]> range(String node, String range) throws IOException, InterruptedException {
		return this.cluster.client(node).getPath("/v0/entities?" + range);
	}

}
