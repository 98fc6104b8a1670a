package io.quorate.process;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A cluster that grows from three members to four, and shrinks to three again, under a
 * mixed load through the members that stay: no request fails, no acknowledged write is
 * lost or goes back, and nothing deleted comes back.
 */
class ClusterGrowthIT {

	private static final String NAME = "ClusterGrowthIT";

	private static final int NODES = 4;

	private static final String JOINER = "n3";

	private static final int WORKERS = 4;

	private static final int KEYS_PER_WORKER = 40;

	/* Of each worker, between the beginnings of its requests. */
	private static final Duration INTERVAL = Duration.ofMillis(50);

	private static final Duration LIMIT = Duration.ofMinutes(3);

	private static final int GROWTHS = Scale.of(1, 5);

	private static final Pattern VERSION = Pattern.compile("\"version\":(\\d+),");

	private final KeyHistories keys = KeyHistories.of(WORKERS, KEYS_PER_WORKER);

	private final Map<String, Integer> answers = new ConcurrentSkipListMap<>();

	private ClusterProcesses cluster = ClusterProcesses.none();

	@AfterEach
	void stop() {
		this.cluster.close();
	}

	@Test
	void aClusterGrowsAndShrinksWhileItServes(@TempDir Path home) throws Exception {
		SplittableRandom random = new SplittableRandom(Scale.seed(NAME));
		startThree(home);
		AtomicBoolean over = new AtomicBoolean();
		List<SplittableRandom> seeds = IntStream.range(0, WORKERS).mapToObj((_) -> random.split()).toList();
		try (Workers workers = Workers.begin(WORKERS, (number) -> {
			Pace pace = new Pace(INTERVAL);
			while (!over.get()) {
				request(this.keys.of(number), seeds.get(number));
				pace.await();
			}
		})) {
			for (int growth = 0; growth < GROWTHS; growth++) {
				growAndShrink();
			}
			over.set(true);
			workers.join(LIMIT);
		}
		Scale.report("%s: %d times to four members and back, %s".formatted(NAME, GROWTHS, this.answers));
		this.keys.settle(LIMIT, (worker) -> this.cluster.client("n" + worker % 3).with("replicas=2/3"));
		for (String name : this.cluster.others(JOINER)) {
			this.keys.requireTheScanToAgree(this.cluster.client(name).with("replicas=2/3"));
		}
		assertThat(this.cluster.alarms()).isEmpty();
	}

	private void startThree(Path home) throws Exception {
		this.cluster = ClusterProcesses.in(home, NODES)
			.withHeap("192m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.with("quorate.operations.drain-delay", "100ms")
			.with("quorate.storage.memtable-size", "1MB");
		String[] members = this.cluster.members().split(",", -1);
		this.cluster.with("quorate.cluster.members", String.join(",", List.of(members).subList(0, NODES - 1)))
			.withReplicationFactor(3)
			.one(JOINER, (node) -> node.with("quorate.cluster.join", members[NODES - 1]));
		this.cluster.start("n0", "n1", "n2");
		awaitStable(2, "n0", "n1", "n2");
	}

	private void growAndShrink() throws Exception {
		this.cluster.start(JOINER);
		assertThat(ready(JOINER)).as("a candidate is not ready").isEqualTo(503);
		long before = version("n0");
		change("n1", "add", "\"member\":\"%s@127.0.0.1:%d\"".formatted(JOINER, this.cluster.internodePort(JOINER)));
		awaitStable(before + 2, "n0", "n1", "n2", JOINER);
		await().atMost(LIMIT).until(() -> ready(JOINER) == 200);
		long grown = version("n0");
		change("n2", "remove", "\"member\":\"%s\"".formatted(JOINER));
		awaitStable(grown + 2, "n0", "n1", "n2");
		await().atMost(LIMIT).until(() -> ready(JOINER) == 503);
		this.cluster.terminate(JOINER);
		this.cluster.wipe(JOINER);
	}

	private void change(String through, String command, String parameters) throws Exception {
		String path = "/actuator/cluster/" + command;
		long version = version(through);
		HttpResponse<byte[]> tried = this.cluster.client(through)
			.postPath(path, "{\"version\":%d,\"dryRun\":true,%s}".formatted(version, parameters));
		assertThat(tried.statusCode()).as(NodeClient.text(tried)).isEqualTo(200);
		assertThat(NodeClient.text(tried)).contains("version %d would be ".formatted(version + 1),
				"\"plan\":{\"moves\":");
		HttpResponse<byte[]> answer = this.cluster.client(through)
			.postPath(path, "{\"version\":%d,%s}".formatted(version, parameters));
		assertThat(answer.statusCode()).as(NodeClient.text(answer)).isEqualTo(202);
		assertThat(NodeClient.text(answer)).contains("\"plan\":{\"moves\":", "\"bytes\":");
		// The copy waits some seconds before it begins.
		assertThat(status(through)).contains("\"change\":{\"kind\":\"%s\"".formatted(command), "\"gainers\":");
	}

	/** Waits until these are the members of one stable layout of at least a version. */
	private void awaitStable(long least, String... members) {
		await().atMost(LIMIT).untilAsserted(() -> {
			for (String name : members) {
				String status = status(name);
				assertThat(version(name)).as(status).isGreaterThanOrEqualTo(least);
				assertThat(status).contains("\"state\":\"stable\"", "\"blockedBy\":[]");
				assertThat(status.split("\"adopted\":" + version(name) + "}", -1)).as(status)
					.hasSize(members.length + 1);
			}
		});
	}

	private long version(String name) throws Exception {
		Matcher version = VERSION.matcher(status(name));
		assertThat(version.find()).isTrue();
		return Long.parseLong(version.group(1));
	}

	private String status(String name) throws Exception {
		return NodeClient.text(this.cluster.client(name).getPath("/actuator/cluster"));
	}

	private int ready(String name) throws Exception {
		return this.cluster.client(name).getPath("/actuator/health/readiness").statusCode();
	}

	private void request(List<KeyHistory> own, SplittableRandom random) throws InterruptedException {
		KeyHistory key = own.get(random.nextInt(KEYS_PER_WORKER));
		NodeClient client = this.cluster.client("n" + random.nextInt(3));
		this.answers.merge(key.next(client, random, (answer) -> {
			this.answers.merge(Integer.toString(answer.status()), 1, Integer::sum);
			assertThat(answer.status()).as("no request fails").isLessThan(500);
		}).name(), 1, Integer::sum);
	}

}
