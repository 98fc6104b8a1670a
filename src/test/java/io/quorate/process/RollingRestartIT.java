package io.quorate.process;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A rolling update as Kubernetes makes it, under load at a constant rate through ready
 * nodes only: the last node first, each with the signal and the delays of the manifests,
 * the next one when this one has been ready for a while; and a pod that is replaced
 * without its volume. No request fails, and none of what was acknowledged is lost. Each
 * test reads what all have written.
 */
@Tag(Scale.FULL)
class RollingRestartIT extends SharedCluster {

	private static final String NAME = "RollingRestartIT";

	private static final Duration PRE_STOP = Manifests.preStop().dividedBy(SHORTER);

	private static final Duration MIN_READY = Manifests.minReady().dividedBy(SHORTER);

	private static final Duration PROBE_PERIOD = Duration
		.ofSeconds(Manifests.container().at("/readinessProbe/periodSeconds").asLong())
		.dividedBy(SHORTER);

	/* What it takes until nobody is sent to a pod that is deleted: within preStop. */
	private static final Duration ENDPOINTS = PRE_STOP.dividedBy(2);

	private static final int ROUNDS = Scale.of(1, 3);

	private static final int WORKERS = 10;

	private static final int KEYS_PER_WORKER = 50;

	/* Of each worker, between the beginnings of its requests. */
	private static final Duration INTERVAL = Duration.ofMillis(Scale.of(100, 20));

	private static final Duration BEFORE_AND_AFTER = Duration.ofSeconds(Scale.of(2, 10));

	private static final Duration LIMIT = Duration.ofMinutes(15);

	private static final int TERMINATED = 143;

	private final Map<String, Integer> answers = new ConcurrentSkipListMap<>();

	private final Queue<String> failures = new ConcurrentLinkedQueue<>();

	private final Queue<Long> nanos = new ConcurrentLinkedQueue<>();

	private final long[][] written = new long[WORKERS][KEYS_PER_WORKER];

	@Test
	void aRollingUpdateCostsNoRequestAndNoWrite() throws Exception {
		underLoad((ready) -> {
			for (int round = 0; round < ROUNDS; round++) {
				for (String name : this.cluster.names().reversed()) {
					replace(ready, name, false);
				}
			}
		});
	}

	/* ContentTypeIT rebuilds a node in every build. */
	@Test
	void aPodThatLosesItsVolumeIsRebuiltAndNoReadIsWrong() throws Exception {
		underLoad((ready) -> replace(ready, "n1", true));
		await().atMost(PATIENCE).until(() -> !consistency("n1").get("rebuilding").asBoolean());
		assertThat(this.cluster.node("n1").logOfThisStart()).contains("This node is rebuilt");
		awaitCompared(Instant.now());
		repair("n1", "{}", NODES - 1);
		this.cluster.freezeOthers("n1");
		requireEveryWrite("1/3", List.of("n1"));
	}

	private void underLoad(Workload during) throws Exception {
		this.answers.clear();
		this.nanos.clear();
		try (ReadyNodes ready = ReadyNodes.of(this.cluster, PROBE_PERIOD)) {
			this.cluster.names().forEach(ready::enter);
			load(ready, during);
		}
		Scale.report("%s: %s; %s".formatted(NAME, this.answers, latencies()));
		assertThat(this.failures).isEmpty();
		requireEveryWrite("2/3", this.cluster.names());
		assertThat(this.cluster.alarms()).isEmpty();
	}

	private void replace(ReadyNodes ready, String name, boolean withVolume) throws Exception {
		long begun = System.nanoTime();
		delete(ready, name);
		double stopped = seconds(begun);
		if (withVolume) {
			this.cluster.wipe(name);
		}
		this.cluster.restart(name);
		ready.enter(name);
		Scale.report(String.format(Locale.ROOT, "%s: %s is gone after %.1f s, ready again after %.1f s", NAME, name,
				stopped, seconds(begun)));
		pause(MIN_READY);
		ready.enter(name);
	}

	private void delete(ReadyNodes ready, String name) throws Exception {
		pause(ENDPOINTS);
		ready.leave(name);
		pause(PRE_STOP.minus(ENDPOINTS));
		assertThat(this.cluster.terminate(name)).isEqualTo(TERMINATED);
		assertThat(this.cluster.node(name).logOfThisStart()).contains("The node stops", "Graceful shutdown complete")
			.doesNotContain("are not finished", " although ");
	}

	private static double seconds(long sinceNanos) {
		return (System.nanoTime() - sinceNanos) / 1e9;
	}

	private static void pause(Duration time) {
		long end = System.nanoTime() + time.toNanos();
		for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

	/** Reads and writes at a constant rate, from before something to after it. */
	private void load(ReadyNodes ready, Workload during) throws Exception {
		AtomicBoolean over = new AtomicBoolean();
		try (Workers workers = Workers.begin(WORKERS, (number) -> {
			long due = System.nanoTime() + INTERVAL.toNanos() * number / WORKERS;
			for (int i = 0; !over.get(); i++) {
				pause(Duration.ofNanos(due - System.nanoTime()));
				request(ready.next().within(DEADLINE), number, i);
				// From when it was due: a request that waited for the one before it
				// counts that.
				this.nanos.add(System.nanoTime() - due);
				due += INTERVAL.toNanos();
			}
		})) {
			pause(BEFORE_AND_AFTER);
			during.run(ready);
			pause(BEFORE_AND_AFTER);
			over.set(true);
			workers.join(LIMIT);
		}
	}

	/**
	 * Each key in turn: written, and at the next turn read. Some clients write while
	 * others read.
	 */
	private void request(NodeClient client, int worker, int number) throws InterruptedException {
		int ahead = worker * KEYS_PER_WORKER / WORKERS;
		int key = (number + ahead) % KEYS_PER_WORKER;
		boolean writes = (number + ahead) / KEYS_PER_WORKER % 2 == 0 || this.written[worker][key] == 0;
		try {
			if (writes) {
				long version = this.written[worker][key] + 1;
				NodeAnswer answer = client.put(key(worker, key), content(worker, key, version));
				count("PUT", answer.statusCode(), answer.statusCode() == 201, NodeClient.text(answer));
				this.written[worker][key] = version;
			}
			else {
				NodeAnswer answer = client.get(key(worker, key));
				boolean isRight = answer.statusCode() == 200
						&& Arrays.equals(answer.body(), content(worker, key, this.written[worker][key]));
				count("GET", answer.statusCode(), isRight, isRight ? "" : key(worker, key));
			}
		}
		catch (IOException failure) {
			count(writes ? "PUT" : "GET", 0, false, failure.toString());
		}
	}

	private void count(String method, int status, boolean isRight, String detail) {
		this.answers.merge(method + " " + status, 1, Integer::sum);
		if (!isRight) {
			this.failures.add("%s %d: %s".formatted(method, status, detail));
		}
	}

	private static String key(int worker, int key) {
		return "rolling-%d-%d".formatted(worker, key);
	}

	private static byte[] content(int worker, int key, long version) {
		return Contents.of(key(worker, key), version, 500);
	}

	private void requireEveryWrite(String replicas, List<String> nodes) throws IOException, InterruptedException {
		for (String name : nodes) {
			NodeClient client = this.cluster.client(name).with("replicas=" + replicas).within(DEADLINE).patient();
			for (int worker = 0; worker < WORKERS; worker++) {
				for (int key = 0; key < KEYS_PER_WORKER; key++) {
					if (this.written[worker][key] > 0) {
						NodeAnswer answer = client.get(key(worker, key));
						assertThat(answer.statusCode()).isEqualTo(200);
						assertThat(answer.body()).as(key(worker, key))
							.isEqualTo(content(worker, key, this.written[worker][key]));
					}
				}
			}
		}
	}

	private String latencies() {
		List<Long> sorted = new ArrayList<>(this.nanos);
		sorted.sort(null);
		double[] shares = { 0.5, 0.99, 0.999, 1 };
		double[] millis = Arrays.stream(shares)
			.map((share) -> sorted.get((int) Math.ceil(share * (sorted.size() - 1))) / 1e6)
			.toArray();
		return String.format(Locale.ROOT, "%d requests, p50 %.1f ms, p99 %.1f ms, p99.9 %.1f ms, most %.1f ms",
				sorted.size(), millis[0], millis[1], millis[2], millis[3]);
	}

	/** A sequence of events that happens under load. */
	@FunctionalInterface
	private interface Workload {

		void run(ReadyNodes ready) throws Exception;

	}

}
