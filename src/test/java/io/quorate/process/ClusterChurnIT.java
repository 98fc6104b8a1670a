package io.quorate.process;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.quorate.client.IncompleteRangeException;
import io.quorate.client.RangeIterator;
import io.quorate.client.RangeQuery;
import io.quorate.client.RangeRecord;
import io.quorate.client.UnavailableException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Mixed load through all nodes, one of which is killed and started again in turn: no
 * acknowledged write is lost or goes back, and nobody sees an error but those whose
 * request was under way at a kill.
 */
@Tag(Scale.FULL)
class ClusterChurnIT {

	private static final int NODES = 3;

	private static final int WORKERS = 6;

	private static final int KEYS_PER_WORKER = 30;

	private static final int CYCLES = Scale.of(3, 15);

	private static final Duration CYCLE = Duration.ofSeconds(Scale.of(6, 60));

	private static final Duration DOWN = Duration.ofSeconds(Scale.of(2, 15));

	/* Of each worker, between the beginnings of its requests. */
	private static final Duration INTERVAL = Duration.ofMillis(100);

	private static final Duration SCAN_INTERVAL = Duration.ofSeconds(2);

	private static final Duration LIMIT = Duration.ofMinutes(3);

	private final KeyHistories keys = KeyHistories.of(WORKERS, KEYS_PER_WORKER);

	private final Map<String, Integer> answers = new ConcurrentSkipListMap<>();

	private final Queue<Span> errors = new ConcurrentLinkedQueue<>();

	private final Queue<Span> kills = new ConcurrentLinkedQueue<>();

	private final AtomicInteger dead = new AtomicInteger(-1);

	@Test
	void nothingIsLostWhileNodesAreKilledAndRestarted(@TempDir Path home) throws Exception {
		SplittableRandom random = new SplittableRandom(Scale.seed("ClusterChurnIT"));
		try (ClusterProcesses cluster = ClusterProcesses.in(home, NODES)
			.withHeap("256m")
			.withJvm("-XX:TieredStopAtLevel=1")
			.with("quorate.storage.memtable-size", "1MB")
			.start()) {
			churn(cluster, random);
			Scale.report("ClusterChurnIT: %d kills, %s".formatted(CYCLES, this.answers));
			requireOnlyHonestErrors();
			this.keys.settle(LIMIT, (worker) -> cluster.client("n" + worker % NODES).with("replicas=2/3"));
			for (String name : cluster.names()) {
				this.keys.requireTheScanToAgree(cluster.client(name).with("replicas=2/3"));
			}
			assertThat(cluster.alarms()).isEmpty();
		}
	}

	private void churn(ClusterProcesses cluster, SplittableRandom random) throws Exception {
		AtomicBoolean over = new AtomicBoolean();
		List<SplittableRandom> seeds = IntStream.range(0, WORKERS + 1).mapToObj((_) -> random.split()).toList();
		try (Workers workers = Workers.begin(WORKERS, (number) -> {
			Pace pace = new Pace(INTERVAL);
			while (!over.get()) {
				request(cluster, this.keys.of(number), seeds.get(number));
				pace.await();
			}
		}); Workers scanner = Workers.begin(1, (_) -> {
			Pace pace = new Pace(SCAN_INTERVAL);
			while (!over.get()) {
				scan(cluster, seeds.getLast());
				pace.await();
			}
		})) {
			killAndRestartInTurn(cluster);
			over.set(true);
			workers.join(LIMIT);
			scanner.join(LIMIT);
		}
	}

	private void killAndRestartInTurn(ClusterProcesses cluster) throws Exception {
		for (int cycle = 0; cycle < CYCLES; cycle++) {
			Pace pace = new Pace(CYCLE);
			int victim = cycle % NODES;
			new Pace(Duration.ofSeconds(1)).await();
			long began = System.nanoTime();
			this.dead.set(victim);
			cluster.kill9("n" + victim);
			this.kills.add(new Span(began, System.nanoTime()));
			new Pace(DOWN).await();
			cluster.restart("n" + victim);
			cluster.awaitConnected();
			this.dead.set(-1);
			pace.await();
			Scale.report("ClusterChurnIT: cycle %d, resident MiB: %s".formatted(cycle + 1, resident(cluster)));
		}
	}

	private static String resident(ClusterProcesses cluster) throws IOException {
		StringBuilder text = new StringBuilder();
		for (String name : cluster.names()) {
			text.append(name).append(' ').append(cluster.node(name).residentBytes() >> 20).append(' ');
		}
		return text.toString().strip();
	}

	private void request(ClusterProcesses cluster, List<KeyHistory> own, SplittableRandom random)
			throws InterruptedException {
		KeyHistory key = own.get(random.nextInt(KEYS_PER_WORKER));
		long began = System.nanoTime();
		NodeClient client = client(cluster, random);
		this.answers.merge(key.next(client, random, (answer) -> judge(answer.status(), began)).name(), 1, Integer::sum);
	}

	/** Of a node that is not known to be dead; its end may still come first. */
	private NodeClient client(ClusterProcesses cluster, SplittableRandom random) {
		int node = random.nextInt(NODES);
		return cluster.client("n" + ((node == this.dead.get()) ? (node + 1) % NODES : node));
	}

	private void judge(int status, long began) {
		this.answers.merge(Integer.toString(status), 1, Integer::sum);
		if (status >= 500) {
			this.errors.add(new Span(began, System.nanoTime()));
			assertThat(status).isIn(503, 504);
		}
	}

	/*
	 * It may break off only around a kill, and never end without its last line. The
	 * client refuses one whose keys are not in order.
	 */
	private void scan(ClusterProcesses cluster, SplittableRandom random) {
		long began = System.nanoTime();
		NodeClient client = client(cluster, random);
		try (RangeIterator<RangeRecord> scan = client
			.range(RangeQuery.from(KeyHistories.PREFIX).pageSize(Integer.MAX_VALUE))) {
			scan.forEachRemaining((_) -> {
			});
			this.answers.merge("scans", 1, Integer::sum);
		}
		catch (UnavailableException lost) {
			assertThat(lost.getCause()).as("the end of an answer without its last line")
				.isNotInstanceOf(IncompleteRangeException.class);
			this.answers.merge("scans broken off", 1, Integer::sum);
			this.errors.add(new Span(began, System.nanoTime()));
		}
	}

	private void requireOnlyHonestErrors() {
		List<Span> stray = this.errors.stream()
			.filter((error) -> this.kills.stream().noneMatch(error::overlaps))
			.toList();
		assertThat(stray)
			.as("requests that failed and were under way at none of the kills %s; %s", this.kills, this.answers)
			.isEmpty();
	}

	/** The time from before something began until after it had ended, in nanoseconds. */
	private record Span(long began, long ended) {

		private boolean overlaps(Span other) {
			return this.began - other.ended <= 0 && other.began - this.ended <= 0;
		}

	}

}
