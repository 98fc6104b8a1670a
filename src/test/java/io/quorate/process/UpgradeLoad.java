package io.quorate.process;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Clients that read, write, delete and scan by majorities while nodes change their
 * program, each request through the next ready node. A request that loses its connection
 * because its node was killed is repeated through another node, and counted apart. Any
 * other answer that a client did not ask for is a failure. The phases are begun, and
 * nodes killed, by one thread.
 */
final class UpgradeLoad implements AutoCloseable {

	private static final int WORKERS = 6;

	private static final int KEYS_PER_WORKER = 40;

	private static final int SHARING = 3;

	private static final int SHARED_KEYS = 2;

	/* Short histories are judged fast. */
	private static final int REQUESTS_TO_THE_SAME_KEYS = 400;

	/* Of each client, between the beginnings of its requests. */
	private static final Duration INTERVAL = Duration.ofMillis(Scale.of(200, 10));

	private static final Duration SCAN_INTERVAL = Duration.ofMillis(Scale.of(1000, 500));

	/* While a node starts on a busy machine, both others must answer. */
	private static final Duration DEADLINE = Duration.ofSeconds(Scale.of(30, 5));

	private static final Duration LIMIT = Duration.ofMinutes(2);

	private static final int MOST_ATTEMPTS = 20;

	/*
	 * Of so many requests to keys that several clients write. On a slow machine more of
	 * them are under way when a node is lost: there is one for each loss, too.
	 */
	private static final int RARELY_UNDECIDED = 1000;

	private static final String SHARED = "shared";

	private final String test;

	private final ClusterProcesses cluster;

	private final ReadyNodes ready;

	private final KeyHistories keys = KeyHistories.of(WORKERS, KEYS_PER_WORKER);

	private final Registers registers = new Registers();

	private final AtomicInteger toSharedKeys = new AtomicInteger();

	private final Map<String, Integer> answers = new ConcurrentSkipListMap<>();

	private final Queue<String> failures = new ConcurrentLinkedQueue<>();

	private final AtomicInteger undecided = new AtomicInteger();

	private final AtomicInteger losses = new AtomicInteger();

	/* From before a node is killed until clients are sent to it again. */
	private final Set<String> killed = ConcurrentHashMap.newKeySet();

	private final List<SplittableRandom> seeds;

	private final Map<String, Integer> underWay = new HashMap<>();

	private volatile Phase phase = new Phase("start");

	private volatile boolean over;

	private final Workers workers;

	private UpgradeLoad(String test, ClusterProcesses cluster, ReadyNodes ready, SplittableRandom random) {
		this.test = test;
		this.cluster = cluster;
		this.ready = ready;
		this.seeds = IntStream.range(0, WORKERS + SHARING + 1).mapToObj((_) -> random.split()).toList();
		this.workers = Workers.begin(this.seeds.size(), this::work);
	}

	/** Begins requests to the ready nodes. */
	static UpgradeLoad begin(String test, ClusterProcesses cluster, ReadyNodes ready, SplittableRandom random) {
		return new UpgradeLoad(test, cluster, ready, random);
	}

	private void work(int number) throws InterruptedException {
		boolean scans = number == WORKERS + SHARING;
		SplittableRandom random = this.seeds.get(number);
		Pace pace = new Pace(scans ? SCAN_INTERVAL : INTERVAL);
		while (!this.over) {
			if (scans) {
				request("scan", UpgradeLoad::scan);
			}
			else if (number < WORKERS) {
				KeyHistory key = this.keys.of(number).get(random.nextInt(KEYS_PER_WORKER));
				request("own", (client) -> own(key, client, random));
			}
			else {
				String key = "shared-%d-%d".formatted(this.toSharedKeys.getAndIncrement() / REQUESTS_TO_THE_SAME_KEYS,
						random.nextInt(SHARED_KEYS));
				request(SHARED, (client) -> this.registers.operate(client, key, random));
			}
			pace.await();
		}
	}

	private static Answer own(KeyHistory key, NodeClient client, SplittableRandom random) throws InterruptedException {
		AtomicReference<Answer> answer = new AtomicReference<>(Answer.LOST);
		key.next(client, random, answer::set);
		return answer.get();
	}

	private static Answer scan(NodeClient client) throws InterruptedException {
		try {
			ScanReader.requireOrderUpToTheEnd(client.scanLines(KeyHistories.PREFIX));
			return new Answer(200, "");
		}
		catch (IOException lost) {
			return new Answer(Answer.NONE, lost.toString());
		}
	}

	/**
	 * Sends a request, and sends it again through another node if its node was killed.
	 */
	private void request(String kind, Exchange exchange) throws InterruptedException {
		for (int attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
			String name = enter();
			Phase begun = this.phase;
			long began = System.nanoTime();
			Answer answer;
			try {
				answer = exchange.run(this.cluster.client(name).with("replicas=2/3").within(DEADLINE));
			}
			finally {
				exit(name);
			}
			begun.latencies.record(System.nanoTime() - began);
			this.answers.merge(kind + " " + answer.status(), 1, Integer::sum);
			if (answer.status() != Answer.NONE || !this.killed.contains(name)) {
				judge(begun, kind, name, answer);
				return;
			}
			begun.lost.incrementAndGet();
			new Pace(Duration.ofMillis(20)).await();
		}
		this.failures.add("%s: not answered by any of %d attempts".formatted(kind, MOST_ATTEMPTS));
	}

	private synchronized String enter() {
		String name = this.ready.nextName();
		this.underWay.merge(name, 1, Integer::sum);
		return name;
	}

	private synchronized void exit(String name) {
		this.underWay.merge(name, -1, Integer::sum);
	}

	/** Sends no more requests to a node, and returns when those under way have ended. */
	void leave(String name) {
		this.losses.incrementAndGet();
		this.ready.leave(name);
		await().atMost(LIMIT).pollInterval(Duration.ofMillis(5)).until(() -> isIdle(name));
	}

	private synchronized boolean isIdle(String name) {
		return this.underWay.getOrDefault(name, 0) == 0;
	}

	/*
	 * A write of a key that others write at the same time may stay undecided when one of
	 * its replicas is lost in that instant, or two of them have a newer entry and cannot
	 * tell whether they ever had this one.
	 */
	private void judge(Phase begun, String kind, String name, Answer answer) {
		if (answer.status() == 504 && kind.equals(SHARED)) {
			begun.undecided.add("%s of %s: %s".formatted(name,
					this.cluster.node(name).isOfThisBuild() ? "this build" : "the build before",
					answer.saidByReplicas()));
			this.undecided.incrementAndGet();
		}
		else if (!answer.isGood()) {
			begun.failed.incrementAndGet();
			this.failures.add("%s: %s through %s: %s".formatted(begun.name, kind, name, answer));
		}
	}

	/** Ends the phase, and begins the next. */
	void phase(String name) {
		Phase ended = this.phase;
		this.phase = new Phase(name);
		Scale.report("%s: %s".formatted(this.test, ended));
	}

	/** Kills a node, starts it again, and returns when it is reached again. */
	void killAndRestart(String name) throws Exception {
		this.losses.incrementAndGet();
		this.killed.add(name);
		this.cluster.kill9(name);
		this.cluster.restart(name);
		this.ready.enter(name);
		this.cluster.awaitConnected();
		this.killed.remove(name);
	}

	/**
	 * Ends the requests, and requires that none of them has failed, and that few stayed
	 * undecided.
	 */
	void end() throws InterruptedException {
		this.over = true;
		this.workers.join(LIMIT);
		phase("over");
		Scale.report("%s: %s".formatted(this.test, this.answers));
		assertThat(this.failures).isEmpty();
		assertThat(this.undecided.get())
			.isLessThanOrEqualTo(Math.max(this.losses.get(), 1 + this.toSharedKeys.get() / RARELY_UNDECIDED));
	}

	/** Requires that each key holds what it may hold, read through every node. */
	void requireEverything() throws Exception {
		for (String name : this.cluster.names()) {
			NodeClient client = this.cluster.client(name).with("replicas=2/3").within(DEADLINE);
			this.keys.settle(LIMIT, (_) -> client);
			this.keys.requireTheScanToAgree(client);
			for (String key : this.registers.keys()) {
				assertThat(this.registers.read(client, key)).matches(Answer::isGood);
			}
		}
		this.registers.requireLinearizable(this.test);
	}

	@Override
	public void close() {
		this.over = true;
		this.workers.close();
	}

	/** A request through one node. */
	@FunctionalInterface
	private interface Exchange {

		Answer run(NodeClient client) throws InterruptedException;

	}

	/** Requests that were begun between two events. */
	private static final class Phase {

		private final String name;

		private final LatencyHistogram latencies = new LatencyHistogram();

		private final AtomicInteger failed = new AtomicInteger();

		private final AtomicInteger lost = new AtomicInteger();

		private final Queue<String> undecided = new ConcurrentLinkedQueue<>();

		private Phase(String name) {
			this.name = name;
		}

		@Override
		public String toString() {
			return "%s: %d failed, %d lost with a killed node, undecided %s; %s".formatted(this.name, this.failed.get(),
					this.lost.get(), this.undecided, this.latencies);
		}

	}

}
