package io.quorate.process;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The layout of a cluster of processes: it is activated at the first start, whichever
 * member is killed meanwhile, and is the same after all members have started anew and
 * after a directory was lost.
 */
@Tag(Scale.FULL)
class LayoutActivationIT {

	private static final String NAME = "LayoutActivationIT";

	private static final Duration LIMIT = Duration.ofMinutes(3);

	private static final Pattern LAYOUT = Pattern.compile("\"version\":(\\d+),\"hash\":\"([0-9a-f]{16})\"");

	/* Longer than an activation takes. */
	private static final int KILLED_WITHIN_MILLIS = 2000;

	private ClusterProcesses cluster = ClusterProcesses.none();

	private record Layout(long version, String hash) {
	}

	@AfterEach
	void stop() {
		this.cluster.close();
	}

	private static ClusterProcesses processes(Path home) throws IOException {
		return ClusterProcesses.in(home, 3)
			.withHeap("192m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.with("quorate.operations.drain-delay", "100ms");
	}

	/** In every build one; at full size many. */
	static IntStream runs() {
		return IntStream.range(0, Scale.of(1, 20));
	}

	@ParameterizedTest
	@MethodSource("runs")
	void aNewClusterActivatesItsLayoutThoughMembersAreKilled(int run, @TempDir Path home) throws Exception {
		SplittableRandom random = new SplittableRandom(Scale.seed(NAME) + run);
		this.cluster = processes(home).start();
		killWithin(KILLED_WITHIN_MILLIS, random);
		killWithin(KILLED_WITHIN_MILLIS, random);
		Layout activated = awaitAgreement(2);
		startAllAnew();
		assertThat(awaitAgreement(2)).isEqualTo(activated);
		put("after");
		assertThat(this.cluster.alarms()).isEmpty();
		List<String> refusal = giveUpVotes("n1");
		awaitAgreement(3);
		this.cluster.kill9("n2");
		this.cluster.restartWiped("n2");
		this.cluster.awaitConnected();
		awaitAgreement(4);
		requireEverywhere("after");
		assertThat(this.cluster.alarms()).isEqualTo(refusal);
	}

	/*
	 * Its file is damaged: the start is refused, until a salvage does without it. The
	 * alarms of the refusal.
	 */
	private List<String> giveUpVotes(String name) throws Exception {
		this.cluster.kill9(name);
		NodeProcess node = this.cluster.node(name);
		Damage.flipBit(node.data().resolve("LAYOUT"), 9);
		node.launch();
		assertThat(node.awaitExit()).as(node.logOfThisStart()).isEqualTo(1);
		assertThat(node.logOfThisStart()).contains("LAYOUT is damaged: ",
				"This node's votes about the layout of the cluster are lost", "quorate.storage.recovery=salvage");
		List<String> alarms = this.cluster.alarms();
		node.with("quorate.storage.recovery", "salvage");
		this.cluster.restart(name);
		this.cluster.awaitConnected();
		return alarms;
	}

	private void killWithin(int millis, SplittableRandom random) throws Exception {
		String name = this.cluster.names().get(random.nextInt(3));
		int after = random.nextInt(millis);
		Scale.report("%s: kill -9 of %s after %d ms, version %d".formatted(NAME, name, after, layout(name).version()));
		await().pollDelay(Duration.ofMillis(after)).until(() -> true);
		this.cluster.kill9(name);
		this.cluster.restart(name);
	}

	private void startAllAnew() throws Exception {
		for (String name : this.cluster.names()) {
			this.cluster.kill9(name);
		}
		this.cluster.start("n0", "n1", "n2");
		this.cluster.awaitConnected();
	}

	/** Waits until all members have one stable layout of at least a version. */
	private Layout awaitAgreement(long least) throws Exception {
		await().atMost(LIMIT).untilAsserted(() -> {
			Layout first = layout("n0");
			assertThat(first.version()).isGreaterThanOrEqualTo(least);
			for (String name : this.cluster.names()) {
				assertThat(layout(name)).as(name).isEqualTo(first);
				assertThat(status(name)).contains("\"state\":\"stable\"", "\"blockedBy\":[]");
				assertThat(status(name).split("\"adopted\":" + first.version() + "}", -1)).as(status(name)).hasSize(4);
			}
		});
		return layout("n0");
	}

	private Layout layout(String name) throws Exception {
		Matcher layout = LAYOUT.matcher(status(name));
		assertThat(layout.find()).as(status(name)).isTrue();
		return new Layout(Long.parseLong(layout.group(1)), layout.group(2));
	}

	private String status(String name) throws Exception {
		HttpResponse<byte[]> answer = this.cluster.client(name).getPath("/actuator/cluster");
		assertThat(answer.statusCode()).isEqualTo(200);
		return NodeClient.text(answer);
	}

	private void put(String key) {
		await().atMost(LIMIT).untilAsserted(() -> {
			NodeAnswer answer = this.cluster.client("n0")
				.with("replicas=3/3")
				.put(key, key.getBytes(StandardCharsets.UTF_8));
			assertThat(answer.statusCode()).as(NodeClient.text(answer)).isEqualTo(201);
		});
	}

	private void requireEverywhere(String key) throws Exception {
		for (String name : this.cluster.names()) {
			await().atMost(LIMIT)
				.untilAsserted(
						() -> assertThat(NodeClient.text(this.cluster.client(name).with("replicas=3/3").get(key)))
							.isEqualTo(key));
		}
	}

}
