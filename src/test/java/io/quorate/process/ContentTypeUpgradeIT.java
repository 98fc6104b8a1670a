package io.quorate.process;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Content types while a cluster changes from the program before, which knows none: a node
 * writes none that this program could not read, until the upgrade is finalized.
 */
@Tag(Scale.FULL)
class ContentTypeUpgradeIT {

	private static final Duration LIMIT = Duration.ofMinutes(3);

	private static final String TYPE = "text/plain; charset=utf-8";

	private static final String DROPPED = "application/octet-stream";

	private final PreviousProgram previous = PreviousProgram.speaking(6);

	private ClusterProcesses cluster = ClusterProcesses.none();

	@BeforeEach
	void startThePreviousProgram(@TempDir Path home) throws IOException {
		this.cluster = ClusterProcesses.in(home, 3)
			.withHeap("192m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.with("quorate.operations.drain-delay", "100ms")
			.each(this.previous::runOn)
			.start();
	}

	@AfterEach
	void stop() {
		this.cluster.close();
	}

	@Test
	void typesAreKeptFromTheEndOfTheUpgradeOn() throws Exception {
		replace(this.previous::leave, "n0", "n1");
		put("n0", "mixed");
		requireType("mixed", DROPPED);
		replace(this.previous::leave, "n2");
		put("n2", "newer");
		requireType("newer", DROPPED);
		replace(this.previous::runOn, "n0", "n2");
		requireType("mixed", DROPPED);
		requireType("newer", DROPPED);
		replace(this.previous::leave, "n0", "n2");
		finalizeThrough("n1");
		put("n0", "finalized");
		requireType("finalized", TYPE);
		requireType("newer", DROPPED);
		replace(this.previous::leave, "n0");
		requireType("finalized", TYPE);
		assertThat(this.cluster.alarms()).isEmpty();
	}

	private void replace(Consumer<NodeProcess> program, String... names) throws Exception {
		for (String name : names) {
			this.cluster.kill9(name);
			this.cluster.one(name, program).restart(name);
			this.cluster.awaitConnected();
		}
	}

	private void put(String node, String key) throws Exception {
		NodeAnswer answer = this.cluster.client(node)
			.with("replicas=3/3")
			.put(key, key.getBytes(StandardCharsets.UTF_8), TYPE);
		assertThat(answer.statusCode()).as(NodeClient.text(answer)).isEqualTo(201);
	}

	private void requireType(String key, String type) throws Exception {
		for (String name : this.cluster.names()) {
			NodeAnswer answer = this.cluster.client(name).with("replicas=3/3").get(key);
			assertThat(NodeClient.text(answer)).isEqualTo(key);
			assertThat(answer.contentType()).as(name).isEqualTo(type);
		}
	}

	/* Members follow with their keep-alives. */
	private void finalizeThrough(String name) {
		await().atMost(LIMIT).untilAsserted(() -> {
			HttpResponse<byte[]> answer = this.cluster.client(name).postPath("/actuator/upgrade/finalize", "{}");
			assertThat(answer.statusCode()).as(NodeClient.text(answer)).isEqualTo(200);
		});
		for (String each : this.cluster.names()) {
			await().atMost(LIMIT)
				.untilAsserted(() -> assertThat(NodeClient.text(this.cluster.client(each).getPath("/actuator/upgrade")))
					.contains("\"finalized\":true")
					.doesNotContain("\"formatLevel\":1"));
		}
	}

}
