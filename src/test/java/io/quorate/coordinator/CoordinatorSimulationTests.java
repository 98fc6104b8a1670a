package io.quorate.coordinator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.RangeScan.Row;
import io.quorate.coordinator.SimulatedCluster.Shape;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random histories of concurrent clients in virtual time, on nodes whose clocks differ,
 * which stop and stand still, and whose messages are delayed, lost, doubled and refused.
 * Each operation is judged by itself: what begins after another has ended must know of
 * it. The name of a failed test and its seed are all that is needed to see it fail again.
 */
class CoordinatorSimulationTests {

	private static final int KEYS = 3;

	private static final int OPERATIONS = 120;

	private static final int CLIENTS = 4;

	private static final int SEEDS = 100;

	/* Bytes of the larger ones of the values. */
	private static final int LARGEST = 2;

	private static final Duration LONGEST = Duration.ofSeconds(1);

	/* Two ticks: a deadline may be met one tick late, and passes between two of them. */
	private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(2 * DeadlineSweep.TICK_MILLIS);

	/* Values have a byte or two: all are left out, or some, or none. */
	@ParameterizedTest(name = "{0} nodes, {1} replicas, ack {2} and {3}, clocks {4} ms apart, {5}, digests above {6}")
	@CsvSource({ "3,3,2,2,0,BEST_FIRST,0", "3,3,2,2,40000,BEST_FIRST,0", "3,3,2,2,40000,BEST_FIRST,1",
			"3,3,2,2,40000,BEST_FIRST,2", "3,3,2,2,40000,ALL,0", "3,3,2,2,40000,ALL,2", "3,3,3,1,40000,BEST_FIRST,0",
			"3,3,1,3,40000,BEST_FIRST,0", "3,3,1,3,40000,BEST_FIRST,1", "5,3,2,2,40000,BEST_FIRST,0",
			"5,5,3,3,40000,BEST_FIRST,1", "5,5,3,3,40000,ALL,0" })
	void whatHasEndedIsKnownToWhatBeginsAfterIt(int nodes, int replicas, int writeAck, int readAck, long skew,
			ReadContacts contacts, int digestAbove) {
		int answered = 0;
		double fetched = 0;
		Shape shape = new Shape(nodes, replicas, skew, new ReadPolicy(contacts, digestAbove));
		for (long seed = 0; seed < SEEDS; seed++) {
			try (History history = new History(seed, shape, writeAck, readAck, false)) {
				answered += history.run();
				fetched += history.cluster.meters.get("quorate.reads.fetched").counter().count();
			}
		}
		assertThat(answered).as("operations that succeeded").isGreaterThan(SEEDS * OPERATIONS / 2);
		boolean isAnyLeftOut = digestAbove < LARGEST && readAck > 1;
		assertThat(fetched > SEEDS / 10.0).as("%f values asked for once more", fetched).isEqualTo(isAnyLeftOut);
	}

	@ParameterizedTest
	@CsvSource({ "BEST_FIRST,0", "BEST_FIRST,2", "ALL,0" })
	void thereAreNeverMoreCopiesThanWereAskedFor(ReadContacts contacts, int digestAbove) {
		Shape shape = new Shape(5, 3, 40_000, new ReadPolicy(contacts, digestAbove));
		for (long seed = 0; seed < SEEDS; seed++) {
			try (History history = new History(seed, shape, 2, 2, true)) {
				history.run();
			}
		}
	}

	/** One run. Operations of one key are judged against each other. */
	private static final class History implements SimulatedCluster.Watcher, AutoCloseable {

		private final long seed;

		private final Random random;

		private final SimulatedCluster cluster;

		private final Admission admission = new Admission(1000, 1_000_000, new SimpleMeterRegistry());

		private final int replicas;

		private final int writeAck;

		private final int readAck;

		/* Whether clients differ in how many replicas they ask for. */
		private final boolean isMixed;

		/*
		 * What every operation that begins now must know of, and what of it was written.
		 */
		private final Map<Key, Timestamp> known = new HashMap<>();

		private final Map<Key, Timestamp> acknowledged = new HashMap<>();

		private final Map<Key, Timestamp> deleted = new HashMap<>();

		private final Map<Timestamp, Entry> written = new HashMap<>();

		private final Set<Value> stored = new HashSet<>();

		private final Set<Value> refused = new HashSet<>();

		private final Set<String> missed = new HashSet<>();

		private final List<Runnable> finalChecks = new ArrayList<>();

		private final List<String> violations = new ArrayList<>();

		private int running;

		private int answered;

		private int values;

		private History(long seed, Shape shape, int writeAck, int readAck, boolean isMixed) {
			this.seed = seed;
			this.random = new Random(seed);
			this.cluster = new SimulatedCluster(this.random, shape, this);
			this.replicas = shape.replicationFactor();
			this.writeAck = writeAck;
			this.readAck = readAck;
			this.isMixed = isMixed;
		}

		private int run() {
			for (int i = 0; i < OPERATIONS; i++) {
				begin();
				if (this.random.nextInt(10) == 0) {
					this.cluster.disturb();
				}
				while (this.running == CLIENTS || this.random.nextInt(6) != 0) {
					this.cluster.step();
				}
			}
			this.cluster.calmDown();
			this.cluster.run(LONGEST.multipliedBy(3));
			this.finalChecks.forEach(Runnable::run);
			Set<Value> refusedAndStored = new HashSet<>(this.refused);
			refusedAndStored.retainAll(this.stored);
			assertThat(refusedAndStored).as("refused and stored, seed %d", this.seed).isEmpty();
			assertThat(this.violations).as("seed %d", this.seed).isEmpty();
			assertThat(this.running).as("operations without an end, seed %d", this.seed).isZero();
			assertThat(this.admission.requests()).as("permits held, seed %d", this.seed).isZero();
			assertThat(this.admission.bytes()).as("bytes held, seed %d", this.seed).isZero();
			this.cluster.nodes.forEach((node) -> assertThat(node.pending()).as("pending, seed %d", this.seed).isZero());
			return this.answered;
		}

		private void begin() {
			Key key = Key.of("key" + this.random.nextInt(KEYS));
			QuorumCoordinator coordinator = this.cluster.nodes.get(this.random.nextInt(this.cluster.nodes.size()))
				.coordinator();
			int from = this.isMixed ? 1 + this.random.nextInt(this.replicas) : this.replicas;
			Consistency read = new Consistency(Math.min(this.readAck, from), from);
			Consistency write = new Consistency(Math.min(this.writeAck, from), from);
			Duration timeout = Duration.ofMillis(20 + this.random.nextLong(LONGEST.toMillis() - 20));
			this.running++;
			switch (this.random.nextInt(12)) {
				case 0, 1, 2, 3, 4 -> read(key, coordinator, read, timeout);
				case 5 -> scan(coordinator, read, timeout);
				case 6 -> write(key, coordinator, write, timeout, null);
				default -> write(key, coordinator, write, timeout, nextValue());
			}
		}

		/* Each one different, some small and some large. */
		private Value nextValue() {
			int number = this.values++;
			byte[] large = { (byte) number, (byte) (1 + (number >> 8)) };
			return Value.copyOf((number % 3 == 0) ? new byte[] { (byte) number } : large);
		}

		private void read(Key key, QuorumCoordinator coordinator, Consistency consistency, Duration timeout) {
			Timestamp before = this.known.get(key);
			Deadline deadline = this.cluster.deadline(timeout);
			Mono<QuorumRead.Resolved> read = Mono.using(() -> this.admission.admit(0),
					(permit) -> coordinator.resolve(key, terms(consistency, deadline, permit)));
			watch(read, deadline, null, (resolved, _) -> {
				if (!this.isMixed) {
					checkRead(key, resolved.entry(), before);
				}
			});
		}

		private void write(Key key, QuorumCoordinator coordinator, Consistency consistency, Duration timeout,
				@Nullable Value value) {
			Timestamp before = this.known.get(key);
			Deadline deadline = this.cluster.deadline(timeout);
			Admission.Permit permit = this.admission.admit(0);
			Terms terms = terms(consistency, deadline, permit);
			Mono<Written> write = (value != null) ? coordinator.put(key, value, null, terms)
					: coordinator.delete(key, terms);
			int receivers = (value != null) ? consistency.from() : this.replicas;
			watch(write, deadline, value, (done, _) -> {
				if (!this.isMixed) {
					checkWrite(key, done.timestamp(), before);
				}
				this.finalChecks.add(() -> checkMisses(key, done.timestamp(), receivers));
			});
		}

		private Terms terms(Consistency consistency, Deadline deadline, Admission.Permit permit) {
			return new Terms(consistency, deadline, permit, trail());
		}

		private RequestTrail trail() {
			return new RequestTrail(this.cluster.nanos());
		}

		private void scan(QuorumCoordinator coordinator, Consistency consistency, Duration timeout) {
			Map<Key, Timestamp> before = Map.copyOf(this.acknowledged);
			Mono<List<Row>> rows = Mono.using(() -> this.admission.admit(0), (permit) -> {
				RangeScan scan = coordinator.scan(Key.of("key"), null, Long.MAX_VALUE, consistency, timeout, permit,
						trail());
				return Flux.defer(scan::nextPage)
					.repeatWhen((pages) -> pages.takeWhile((count) -> count > 0))
					.flatMapIterable((page) -> page)
					.collectList();
			});
			/* Each page has the timeout to itself, and there may be as many as keys. */
			watch(rows, this.cluster.deadline(timeout.multipliedBy(KEYS + 1)), null, (found, _) -> {
				if (!this.isMixed) {
					checkScan(found, before);
				}
			});
		}

		private <T> void watch(Mono<T> operation, Deadline deadline, @Nullable Value value,
				BiConsumer<T, Deadline> check) {
			operation.doOnTerminate(() -> {
				this.running--;
				if (this.cluster.nanos() > deadline.nanos() + LATE_NANOS) {
					this.violations.add("ended %d us after its deadline"
						.formatted((this.cluster.nanos() - deadline.nanos()) / 1000));
				}
			}).subscribe((result) -> {
				this.answered++;
				check.accept(result, deadline);
			}, (error) -> failed(error, value));
		}

		private void failed(Throwable error, @Nullable Value value) {
			if (error instanceof RefusedException) {
				if (value != null) {
					this.refused.add(value);
				}
			}
			else if (!(error instanceof QuorumNotReachedException)) {
				this.violations.add(error.toString());
			}
		}

		/* Invariants 2 and 3: writes are seen, and reads do not go back. */
		private void checkRead(Key key, @Nullable Entry entry, @Nullable Timestamp before) {
			if (entry != null) {
				if (!entry.equals(this.written.get(entry.timestamp()))) {
					this.violations.add("read of %s gave %s, which was not written".formatted(key, entry));
				}
				advance(key, entry.timestamp(), before, "read", 2 * this.readAck > this.replicas);
			}
			else if (before != null) {
				this.violations.add("read of %s gave nothing after %s".formatted(key, before));
			}
		}

		/* With majorities of writes, later ones are ordered after earlier ones. */
		private void checkWrite(Key key, Timestamp stamp, @Nullable Timestamp before) {
			boolean isMajority = 2 * this.writeAck > this.replicas;
			advance(key, stamp, isMajority ? before : null, "write", true);
			this.acknowledged.merge(key, stamp, History::later);
		}

		private void advance(Key key, Timestamp stamp, @Nullable Timestamp before, String what, boolean isPromise) {
			if (before != null && before.isAfter(stamp)) {
				this.violations.add("%s of %s gave %s after %s".formatted(what, key, stamp, before));
			}
			if (isPromise) {
				this.known.merge(key, stamp, History::later);
			}
		}

		private static Timestamp later(Timestamp one, Timestamp other) {
			return one.isAfter(other) ? one : other;
		}

		private void checkScan(List<Row> rows, Map<Key, Timestamp> before) {
			Map<Key, Timestamp> found = new HashMap<>();
			Key last = Key.of("a");
			for (Row row : rows) {
				if (row.key().compareTo(last) <= 0) {
					this.violations.add("scan gave %s after %s".formatted(row.key(), last));
				}
				last = row.key();
				found.put(row.key(), row.entry().timestamp());
			}
			before.forEach((key, stamp) -> {
				Timestamp seen = found.getOrDefault(key, this.deleted.getOrDefault(key, Timestamp.ZERO));
				if (stamp.isAfter(seen)) {
					this.violations.add("scan gave %s of %s after %s".formatted(found.get(key), key, stamp));
				}
			});
		}

		/* Whoever does not hold what was acknowledged is known to have missed it. */
		private void checkMisses(Key key, Timestamp stamp, int receivers) {
			List<String> ids = this.cluster.holders(key, receivers);
			for (SimulatedCluster.Node node : this.cluster.nodes) {
				Entry held = node.store.entries.get(key);
				boolean isHeld = held != null && !stamp.isAfter(held.timestamp());
				if (ids.contains(node.id) && !isHeld && !this.missed.contains(node.id + stamp)) {
					this.violations.add("%s missed %s of %s, and nobody knows".formatted(node.id, stamp, key));
				}
			}
		}

		@Override
		public void stored(String node, Key key, Entry entry) {
			this.written.put(entry.timestamp(), entry);
			if (entry instanceof Entry.Live live) {
				this.stored.add(live.value());
				if (!this.cluster.holders(key, live.from()).contains(node)) {
					this.violations.add("%s got %s, which was not written to it".formatted(node, live));
				}
			}
			else {
				this.deleted.merge(key, entry.timestamp(), History::later);
			}
		}

		@Override
		public void missed(Key key, Entry entry, String node) {
			this.missed.add(node + entry.timestamp());
		}

		@Override
		public void close() {
			this.cluster.close();
		}

	}

}
