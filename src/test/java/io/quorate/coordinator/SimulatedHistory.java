package io.quorate.coordinator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
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
import io.quorate.entry.ScanRange;
import io.quorate.entry.Value;
import io.quorate.history.RegisterHistory.Verdict;
import io.quorate.history.RegisterHistory;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

/** One run. Operations of one key are judged against each other. */
final class SimulatedHistory implements SimulatedCluster.Watcher, AutoCloseable {

	private static final int KEYS = 3;

	private static final int CALM_OPERATIONS = 30;

	private static final int CLIENTS = 4;

	private static final int MOST_STATES = 1_000_000;

	/* Two ticks: a deadline may be met one tick late, and passes between two of them. */
	private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(2 * DeadlineSweep.TICK_MILLIS);

	final long seed;

	final Random random;

	final SimulatedCluster cluster;

	/* A node that was killed gives nothing back. */
	final Map<QuorumCoordinator, Admission> admissions = new HashMap<>();

	final Set<WatchedOperation> watched = new LinkedHashSet<>();

	final int replicas;

	final int writeAck;

	final int readAck;

	final boolean areClocksBelieved;

	/* Whether clients differ in how many replicas they ask for. */
	final boolean isMixed;

	/* Whether the layout changes meanwhile. */
	private final boolean isChanged;

	/* Then clients ask for the default, a majority of all. */
	private final boolean isFactorChanged;

	/*
	 * What every operation that begins now must know of, and what of it was written.
	 */
	final Map<Key, Timestamp> known = new HashMap<>();

	final Map<Key, Timestamp> acknowledged = new HashMap<>();

	final Map<Key, Timestamp> deleted = new HashMap<>();

	/* What some majority read has found to be over, by a clock that it began with. */
	final Set<Timestamp> expired = new HashSet<>();

	final Map<Timestamp, Entry> written = new HashMap<>();

	/* The same operations by their values, for those that all ask for majorities. */
	final Map<Key, RegisterHistory> histories = new HashMap<>();

	final Map<Value, Integer> numbers = new HashMap<>();

	final Set<Value> stored = new HashSet<>();

	final Set<Value> refused = new HashSet<>();

	final Set<String> missed = new HashSet<>();

	/* The replicas of the last plan of each write, which layout that was by. */
	final Map<Timestamp, Set<String>> sent = new HashMap<>();

	final Map<Timestamp, Long> plannedBy = new HashMap<>();

	final List<Runnable> finalChecks = new ArrayList<>();

	final List<String> violations = new ArrayList<>();

	int running;

	int answered;

	int calmFailures;

	boolean isCalm;

	int values;

	SimulatedHistory(long seed, Shape shape, int writeAck, int readAck, boolean isMixed) {
		this.seed = seed;
		this.random = new Random(seed);
		this.cluster = new SimulatedCluster(this.random, shape, this);
		this.replicas = shape.replicationFactor();
		this.writeAck = writeAck;
		this.readAck = readAck;
		this.areClocksBelieved = shape.believedMillis() > shape.maxSkewMillis();
		this.isMixed = isMixed;
		this.isFactorChanged = shape.replicationFactor() != shape.replicasAfter();
		this.isChanged = this.isFactorChanged || shape.membersBefore() != shape.membersAfter();
	}

	int run() {
		for (int i = 0; i < CoordinatorSimulationTests.OPERATIONS; i++) {
			begin();
			if (this.isChanged) {
				this.cluster.layouts.goOn();
			}
			if (this.random.nextInt(10) == 0) {
				this.cluster.disturb();
			}
			while (this.running == CLIENTS || this.random.nextInt(6) != 0) {
				this.cluster.step();
			}
		}
		this.cluster.calmDown();
		this.cluster.run(CoordinatorSimulationTests.LONGEST.multipliedBy(3));
		goOnInCalm();
		this.cluster.run(CoordinatorSimulationTests.LONGEST.multipliedBy(3));
		this.finalChecks.forEach(Runnable::run);
		checkHistories();
		Set<Value> refusedAndStored = new HashSet<>(this.refused);
		refusedAndStored.retainAll(this.stored);
		assertThat(refusedAndStored).as("refused and stored, seed %d", this.seed).isEmpty();
		assertThat(this.violations).as("seed %d", this.seed).isEmpty();
		assertThat(this.running).as("operations without an end, seed %d", this.seed).isZero();
		this.cluster.nodes.forEach((node) -> {
			assertThat(node.pending()).as("pending, seed %d", this.seed).isZero();
			assertThat(admission(node).requests()).as("permits held, seed %d", this.seed).isZero();
			assertThat(admission(node).bytes()).as("bytes held, seed %d", this.seed).isZero();
		});
		return this.answered;
	}

	/* Nothing goes wrong any more, but clients go on to meet each other. */
	void goOnInCalm() {
		this.isCalm = true;
		for (int i = 0; i < CALM_OPERATIONS; i++) {
			begin();
			while (this.running == CLIENTS || this.random.nextInt(6) != 0) {
				this.cluster.step();
			}
		}
	}

	Admission admission(SimulatedCluster.Node node) {
		return this.admissions.computeIfAbsent(node.coordinator(),
				(_) -> new Admission(1000, 1_000_000, new SimpleMeterRegistry()));
	}

	void begin() {
		Key key = Key.of("key" + this.random.nextInt(KEYS));
		List<SimulatedCluster.Node> up = this.cluster.nodes.stream().filter((node) -> !node.isDown).toList();
		SimulatedCluster.Node coordinator = up.get(this.random.nextInt(up.size()));
		int from = this.isMixed ? 1 + this.random.nextInt(this.replicas) : this.replicas;
		Consistency read = consistency(this.readAck, from);
		Consistency write = consistency(this.writeAck, from);
		Duration timeout = this.isCalm ? CoordinatorSimulationTests.LONGEST
				: Duration.ofMillis(20 + this.random.nextLong(CoordinatorSimulationTests.LONGEST.toMillis() - 20));
		this.running++;
		switch (this.random.nextInt(12)) {
			case 0, 1, 2, 3, 4 -> read(key, coordinator, read, timeout);
			case 5 -> scan(coordinator, read, timeout);
			case 6 -> write(key, coordinator, write, timeout, null);
			default -> write(key, coordinator, write, timeout, nextValue());
		}
	}

	private Consistency consistency(int ack, int from) {
		return this.isFactorChanged ? Consistency.DEFAULT : new Consistency(Math.min(ack, from), from);
	}

	/* Each one different, some small and some large. */
	Value nextValue() {
		int number = this.values++;
		byte[] large = { (byte) number, (byte) (1 + (number >> 8)) };
		return Value.copyOf((number % 3 == 0) ? new byte[] { (byte) number } : large);
	}

	void read(Key key, SimulatedCluster.Node coordinator, Consistency consistency, Duration timeout) {
		Timestamp before = this.known.get(key);
		Deadline deadline = this.cluster.deadline(timeout);
		Mono<ResolvedRead> read = Mono.using(() -> admission(coordinator).admit(0),
				(permit) -> coordinator.coordinator().resolve(key, requestContext(consistency, deadline, permit)));
		long began = this.cluster.nanos();
		long beganMillis = coordinator.nowMillis();
		Set<Timestamp> expiredBefore = Set.copyOf(this.expired);
		watch(coordinator, read, deadline, null, (resolved, _) -> {
			history(key).read(number(resolved.entry()), began, this.cluster.nanos());
			if (!this.isMixed) {
				checkRead(key, resolved.entry(), before);
			}
			if (!this.isMixed && resolved.entry() instanceof Entry.Live live) {
				checkExpiry(live, beganMillis, coordinator.nowMillis(), expiredBefore);
			}
		});
	}

	void write(Key key, SimulatedCluster.Node coordinator, Consistency consistency, Duration timeout,
			@Nullable Value value) {
		Timestamp before = this.known.get(key);
		Deadline deadline = this.cluster.deadline(timeout);
		Admission.Permit permit = admission(coordinator).admit(0);
		RequestContext requestContext = requestContext(consistency, deadline, permit);
		Mono<Written> write = (value != null)
				? coordinator.coordinator().put(key, new Content(value, null, ttl()), requestContext)
				: coordinator.coordinator().delete(key, requestContext);
		long began = this.cluster.nanos();
		int number = number(value);
		int starts = coordinator.starts;
		Mono<Written> ended = write.doOnError(QuorumNotReachedException.class,
				(_) -> history(key).unknown(number, began));
		WatchedOperation watched = watch(coordinator, ended, deadline, value, (done, _) -> {
			history(key).written(number, began, this.cluster.nanos());
			if (!this.isMixed) {
				checkWrite(key, done.timestamp(), before);
			}
			this.finalChecks.add(() -> {
				if (coordinator.starts == starts) {
					checkMisses(key, done.timestamp());
				}
			});
		});
		watched.lost = () -> history(key).unknown(number, began);
	}

	RegisterHistory history(Key key) {
		return this.histories.computeIfAbsent(key, (_) -> new RegisterHistory());
	}

	int number(@Nullable Entry entry) {
		return number((entry instanceof Entry.Live live) ? live.value() : null);
	}

	int number(@Nullable Value value) {
		return (value != null) ? this.numbers.computeIfAbsent(value, (_) -> this.numbers.size() + 1)
				: RegisterHistory.ABSENT;
	}

	/*
	 * Majority reads do not go back; with majority writes each key is one register.
	 */
	void checkHistories() {
		boolean isReadByMajority = !this.isMixed && 2 * this.readAck > this.replicas;
		this.histories.forEach((key, history) -> {
			if (isReadByMajority) {
				assertThat(history.readsThatGoBack()).as("of %s, seed %d:%n%s", key, this.seed, history).isEmpty();
			}
			if (isReadByMajority && 2 * this.writeAck > this.replicas) {
				assertThat(history.linearizable(MOST_STATES)).as("%s, seed %d:%n%s", key, this.seed, history)
					.isEqualTo(Verdict.LINEARIZABLE);
			}
		});
	}

	@Nullable Duration ttl() {
		return (this.random.nextInt(4) == 0) ? Duration.ofMillis(1 + this.random.nextInt(2000)) : null;
	}

	RequestContext requestContext(Consistency consistency, Deadline deadline, Admission.Permit permit) {
		return new RequestContext(consistency, deadline, permit, timeline());
	}

	RequestTimeline timeline() {
		return new RequestTimeline(this.cluster.nanos());
	}

	void scan(SimulatedCluster.Node coordinator, Consistency consistency, Duration timeout) {
		Map<Key, Timestamp> before = Map.copyOf(this.acknowledged);
		ScanRange range = new ScanRange(Key.of("key"), null, this.cluster.random.nextBoolean());
		boolean isKeysOnly = this.cluster.random.nextBoolean();
		Mono<List<Row>> rows = Mono.using(() -> admission(coordinator).admit(0), (permit) -> {
			RangeScan scan = coordinator.coordinator()
				.scan(new ScanRequest(new ScanRequest.Wanted(range, isKeysOnly, Long.MAX_VALUE), consistency, timeout,
						permit, timeline()));
			return Flux.defer(scan::nextPage)
				.repeatWhen((pages) -> pages.takeWhile((count) -> count > 0))
				.flatMapIterable((page) -> page)
				.collectList();
		});
		/* Each page has the timeout to itself, and there may be as many as keys. */
		watch(coordinator, rows, this.cluster.deadline(timeout.plusNanos(LATE_NANOS).multipliedBy(KEYS + 1)), null,
				(found, _) -> {
					if (!this.isMixed) {
						checkScan(found, range, before);
					}
				});
	}

	<T> WatchedOperation watch(SimulatedCluster.Node coordinator, Mono<T> operation, Deadline deadline,
			@Nullable Value value, BiConsumer<T, Deadline> check) {
		WatchedOperation open = new WatchedOperation(coordinator);
		this.watched.add(open);
		operation.doOnTerminate(() -> {
			if (this.watched.remove(open)) {
				this.running--;
			}
			if (this.cluster.nanos() > deadline.nanos() + LATE_NANOS) {
				this.violations
					.add("ended %d us after its deadline".formatted((this.cluster.nanos() - deadline.nanos()) / 1000));
			}
		}).subscribe((result) -> {
			this.answered++;
			check.accept(result, deadline);
		}, (error) -> failed(error, value));
		return open;
	}

	@Override
	public void killed(SimulatedCluster.Node node) {
		List<WatchedOperation> ended = this.watched.stream().filter((each) -> each.coordinator == node).toList();
		ended.forEach((each) -> {
			this.running--;
			this.watched.remove(each);
			each.lost.run();
		});
	}

	@Override
	public void violated(String what) {
		this.violations.add(what);
	}

	void failed(Throwable error, @Nullable Value value) {
		this.calmFailures += this.isCalm ? 1 : 0;
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
	void checkRead(Key key, @Nullable Entry entry, @Nullable Timestamp before) {
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

	/*
	 * What was over for one reader is over for each that begins after it: replicas carry
	 * the one's clock to the other.
	 */
	void checkExpiry(Entry.Live entry, long beganMillis, long endedMillis, Set<Timestamp> expiredBefore) {
		if (2 * this.readAck <= this.replicas || !this.areClocksBelieved) {
			return;
		}
		if (!entry.isAbsentAt(endedMillis) && expiredBefore.contains(entry.timestamp())) {
			this.violations.add("%s had expired, and has not".formatted(entry));
		}
		if (entry.isAbsentAt(beganMillis)) {
			this.expired.add(entry.timestamp());
		}
	}

	/* With majorities of writes, later ones are ordered after earlier ones. */
	void checkWrite(Key key, Timestamp stamp, @Nullable Timestamp before) {
		boolean isMajority = 2 * this.writeAck > this.replicas;
		advance(key, stamp, isMajority ? before : null, "write", true);
		this.acknowledged.merge(key, stamp, SimulatedHistory::later);
	}

	void advance(Key key, Timestamp stamp, @Nullable Timestamp before, String what, boolean isPromise) {
		if (before != null && before.isAfter(stamp)) {
			this.violations.add("%s of %s gave %s after %s".formatted(what, key, stamp, before));
		}
		if (isPromise) {
			this.known.merge(key, stamp, SimulatedHistory::later);
		}
	}

	static Timestamp later(Timestamp one, Timestamp other) {
		return one.isAfter(other) ? one : other;
	}

	void checkScan(List<Row> rows, ScanRange range, Map<Key, Timestamp> before) {
		Map<Key, Timestamp> found = new HashMap<>();
		Key last = null;
		for (Row row : rows) {
			if (last != null && range.order().compare(row.key(), last) <= 0) {
				this.violations.add("scan gave %s after %s".formatted(row.key(), last));
			}
			last = row.key();
			found.put(row.key(), row.state().timestamp());
		}
		before.forEach((key, stamp) -> {
			Timestamp seen = found.getOrDefault(key, this.deleted.getOrDefault(key, Timestamp.ZERO));
			if (stamp.isAfter(seen)) {
				this.violations.add("scan gave %s of %s after %s".formatted(found.get(key), key, stamp));
			}
		});
	}

	/* Whoever does not hold what was acknowledged is known to have missed it. */
	void checkMisses(Key key, Timestamp stamp) {
		for (SimulatedCluster.Node node : this.cluster.nodes) {
			Entry held = node.store.entries.get(key);
			boolean isHeld = held != null && !stamp.isAfter(held.timestamp());
			if (this.sent.getOrDefault(stamp, Set.of()).contains(node.id) && !isHeld
					&& !this.missed.contains(node.id + stamp)) {
				this.violations.add("%s missed %s of %s, and nobody knows".formatted(node.id, stamp, key));
			}
		}
	}

	@Override
	public void sent(Entry entry, String node, long layout) {
		Long before = this.plannedBy.put(entry.timestamp(), layout);
		if (before == null || before != layout) {
			this.sent.put(entry.timestamp(), new HashSet<>());
		}
		this.sent.getOrDefault(entry.timestamp(), new HashSet<>()).add(node);
	}

	@Override
	public void stored(String node, Key key, Entry entry, boolean isLate) {
		if (isLate) {
			this.violations.add("%s stored %s after the deadline".formatted(node, entry));
		}
		this.written.put(entry.timestamp(), entry);
		if (entry instanceof Entry.Live live) {
			this.stored.add(live.value());
			if (!this.cluster.layouts.holders(key, live).contains(node)) {
				this.violations.add("%s got %s, which was not written to it".formatted(node, live));
			}
		}
		if (entry.isTombstone() || entry.expiryMillis() != Entry.NEVER) {
			this.deleted.merge(key, entry.timestamp(), SimulatedHistory::later);
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
