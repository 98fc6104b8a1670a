package io.quorate.process;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.quorate.process.KeyHistory.Outcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Clients that write, delete and read by the default numbers of replicas, through nodes
 * that the test names, and hold each answer against the history of its key. No request
 * fails through a node that the test trusts. Safe for any number of threads.
 */
final class MixedLoad implements AutoCloseable {

	private static final int WORKERS = 4;

	private static final int KEYS_PER_WORKER = 40;

	/* Of each worker, between the beginnings of its requests. */
	private static final Duration INTERVAL = Duration.ofMillis(50);

	private static final Duration LIMIT = Duration.ofMinutes(3);

	private final ClusterProcesses processes;

	private final KeyHistories keys = KeyHistories.of(WORKERS, KEYS_PER_WORKER);

	private final Map<String, Integer> answers = new ConcurrentSkipListMap<>();

	private final Map<String, Entrance> entrances = new ConcurrentHashMap<>();

	private final AtomicInteger entered = new AtomicInteger();

	private final AtomicBoolean over = new AtomicBoolean();

	private final Workers workers;

	/**
	 * A node that takes requests.
	 *
	 * @param number number that no other entrance has
	 * @param mayFail whether requests through it may fail
	 */
	private record Entrance(int number, boolean mayFail) {
	}

	private MixedLoad(ClusterProcesses processes, SplittableRandom random) {
		this.processes = processes;
		List<SplittableRandom> seeds = IntStream.range(0, WORKERS).mapToObj((_) -> random.split()).toList();
		this.workers = Workers.begin(WORKERS, (number) -> {
			Pace pace = new Pace(INTERVAL);
			while (!this.over.get()) {
				request(this.keys.of(number), seeds.get(number));
				pace.await();
			}
		});
	}

	/** Begins, and trusts some nodes. */
	static MixedLoad through(ClusterProcesses processes, SplittableRandom random, String... names) {
		MixedLoad load = new MixedLoad(processes, random);
		load.trust(names);
		return load;
	}

	/** Sends requests through nodes, each of which must succeed from now on. */
	void trust(String... names) {
		enter(false, names);
	}

	/**
	 * Sends requests through nodes, each of which may fail, also those that are under
	 * way.
	 */
	void doubt(String... names) {
		enter(true, names);
	}

	private void enter(boolean mayFail, String... names) {
		for (String name : names) {
			this.entrances.put(name, new Entrance(this.entered.incrementAndGet(), mayFail));
		}
	}

	/** Sends no more requests through nodes; those that are under way may fail. */
	void leave(String... names) {
		for (String name : names) {
			this.entrances.remove(name);
		}
	}

	private void request(List<KeyHistory> own, SplittableRandom random) throws InterruptedException {
		List<String> names = List.copyOf(this.entrances.keySet());
		if (names.isEmpty()) {
			return;
		}
		String name = names.get(random.nextInt(names.size()));
		Entrance entrance = this.entrances.get(name);
		if (entrance == null) {
			return;
		}
		KeyHistory key = own.get(random.nextInt(KEYS_PER_WORKER));
		AtomicReference<Answer> answered = new AtomicReference<>(Answer.LOST);
		Outcome outcome = key.next(this.processes.client(name), random, answered::set);
		Answer answer = answered.get();
		count(outcome.name());
		count((answer.status() == Answer.NONE) ? "lost" : Integer.toString(answer.status()));
		boolean mayFail = entrance.mayFail() || !entrance.equals(this.entrances.get(name));
		assertThat(mayFail || answer.isGood()).as("through %s: %s", name, answer).isTrue();
	}

	private void count(String what) {
		this.answers.merge(what, 1, Integer::sum);
	}

	/**
	 * Ends, and requires that all members have what the histories have.
	 * @param members nodes that serve
	 * @return numbers of outcomes and answers
	 */
	Map<String, Integer> end(String... members) throws Exception {
		this.over.set(true);
		this.workers.join(LIMIT);
		assertThat(this.answers).containsKeys(Outcome.ACKNOWLEDGED.name(), Outcome.READ.name());
		this.keys.settle(LIMIT,
				(worker) -> this.processes.client(members[worker % members.length]).with("replicas=2/3"));
		for (String name : members) {
			this.keys.requireTheScanToAgree(this.processes.client(name).with("replicas=2/3"));
		}
		return this.answers;
	}

	@Override
	public void close() {
		this.over.set(true);
		this.workers.close();
	}

}
