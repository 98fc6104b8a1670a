package io.quorate.coordinator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiConsumer;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random histories of concurrent clients on nodes whose clocks differ and whose messages
 * are lost and overtake each other, judged operation by operation: what begins after
 * another has ended must know of it.
 */
class QuorumHistoryTests {

	private static final Duration NEVER = Duration.ofHours(1);

	private static final int KEYS = 2;

	private static final int OPERATIONS = 120;

	private static final int CLIENTS = 4;

	private static final int SEEDS = 150;

	@ParameterizedTest(name = "{0} nodes, {1} replicas, ack {2} and {3}, clocks {4} ms apart, {5}")
	@CsvSource({ "3,3,2,2,0,BEST_FIRST", "3,3,2,2,40000,BEST_FIRST", "3,3,2,2,40000,ALL_AT_ONCE",
			"3,3,3,1,40000,BEST_FIRST", "5,3,2,2,40000,BEST_FIRST", "5,5,3,3,40000,ALL_AT_ONCE" })
	void whatHasEndedIsKnownToWhatBeginsAfterIt(int nodes, int replicas, int writeAck, int readAck, long skew,
			ReadContacts contacts) {
		int answered = 0;
		for (long seed = 0; seed < SEEDS; seed++) {
			try (History history = new History(seed, nodes, replicas, writeAck, readAck, skew, contacts)) {
				answered += history.run(false);
			}
		}
		assertThat(answered).as("operations that succeeded").isGreaterThan(SEEDS * OPERATIONS / 2);
	}

	@ParameterizedTest
	@CsvSource({ "BEST_FIRST", "ALL_AT_ONCE" })
	void thereAreNeverMoreCopiesThanWereAskedFor(ReadContacts contacts) {
		for (long seed = 0; seed < SEEDS; seed++) {
			try (History history = new History(seed, 5, 3, 2, 2, 40_000, contacts)) {
				history.run(true);
			}
		}
	}

	/** One run. Operations of one key are judged against each other. */
	private static final class History implements AutoCloseable {

		private final long seed;

		private final Random random;

		private final SimulatedCluster cluster;

		private final FixedLists lists;

		private final Admission admission = new Admission(1000, 1_000_000);

		private final int replicas;

		private final int writeAck;

		private final int readAck;

		/* What every operation that begins now must know of. */
		private final Map<Key, Timestamp> known = new HashMap<>();

		private final List<String> violations = new ArrayList<>();

		private int running;

		private int answered;

		private int written;

		private History(long seed, int nodes, int replicas, int writeAck, int readAck, long skew,
				ReadContacts contacts) {
			this.seed = seed;
			this.random = new Random(seed);
			this.cluster = new SimulatedCluster(this.random, nodes, replicas, skew, contacts);
			this.lists = new FixedLists(replicas, List.copyOf(this.cluster.replicas));
			this.replicas = replicas;
			this.writeAck = writeAck;
			this.readAck = readAck;
		}

		private int run(boolean isMixed) {
			for (int i = 0; i < OPERATIONS; i++) {
				begin(isMixed);
				changeWhoIsDown();
				while (this.running == CLIENTS || (this.random.nextInt(4) != 0 && !this.cluster.isQuiet())) {
					step();
				}
			}
			this.cluster.down.clear();
			while (!this.cluster.isQuiet()) {
				step();
			}
			assertThat(this.violations).as("seed %d", this.seed).isEmpty();
			assertThat(this.running).as("operations without an end, seed %d", this.seed).isZero();
			assertThat(this.admission.requests()).as("permits held, seed %d", this.seed).isZero();
			return this.answered;
		}

		private void changeWhoIsDown() {
			if (this.random.nextInt(10) == 0) {
				this.cluster.down.clear();
				if (this.random.nextBoolean()) {
					this.cluster.down.add("n" + this.random.nextInt(this.cluster.replicas.size()));
				}
			}
		}

		private void step() {
			this.cluster.step();
			checkCopies();
		}

		private void begin(boolean isMixed) {
			Key key = Key.of("key" + this.random.nextInt(KEYS));
			QuorumCoordinator coordinator = this.cluster.coordinators
				.get(this.random.nextInt(this.cluster.coordinators.size()));
			int from = isMixed ? 1 + this.random.nextInt(this.replicas) : this.replicas;
			int kind = this.random.nextInt(10);
			this.running++;
			if (kind < 5) {
				Consistency consistency = new Consistency(Math.min(this.readAck, from), from);
				watch(coordinator.resolve(key, consistency, Deadline.after(NEVER)), (resolved, before) -> {
					if (!isMixed) {
						checkRead(key, resolved.entry(), before);
					}
				}, key);
				return;
			}
			Consistency consistency = new Consistency(Math.min(this.writeAck, from), from);
			Admission.Permit permit = this.admission.admit(0);
			Value value = Value.copyOf(new byte[] { (byte) this.written++ });
			var write = (kind == 9) ? coordinator.delete(key, consistency, Deadline.after(NEVER), permit)
					: coordinator.put(key, value, null, consistency, Deadline.after(NEVER), permit);
			watch(write, (done, before) -> {
				if (!isMixed) {
					checkWrite(key, done.timestamp(), before);
				}
			}, key);
		}

		private <T> void watch(Mono<T> operation, BiConsumer<T, @Nullable Timestamp> check, Key key) {
			Timestamp before = this.known.get(key);
			operation.subscribe((result) -> {
				this.running--;
				this.answered++;
				check.accept(result, before);
			}, (error) -> {
				this.running--;
				if (!(error instanceof QuorumNotReachedException)) {
					this.violations.add(error.toString());
				}
			});
		}

		/* Invariants 2 and 3: writes are seen, and reads do not go back. */
		private void checkRead(Key key, @Nullable Entry entry, @Nullable Timestamp before) {
			if (entry == null) {
				if (before != null) {
					this.violations.add("read of %s gave nothing after %s".formatted(key, before));
				}
			}
			else {
				advance(key, entry.timestamp(), before, "read", 2 * this.readAck > this.replicas);
			}
		}

		/* With majorities of writes, later ones are ordered after earlier ones. */
		private void checkWrite(Key key, Timestamp stamp, @Nullable Timestamp before) {
			boolean isMajority = 2 * this.writeAck > this.replicas;
			advance(key, stamp, isMajority ? before : null, "write", true);
		}

		private void advance(Key key, Timestamp stamp, @Nullable Timestamp before, String what, boolean isPromise) {
			if (before != null && before.isAfter(stamp)) {
				this.violations.add("%s of %s gave %s after %s".formatted(what, key, stamp, before));
			}
			if (isPromise) {
				this.known.merge(key, stamp, (one, other) -> one.isAfter(other) ? one : other);
			}
		}

		private void checkCopies() {
			for (int i = 0; i < KEYS; i++) {
				Key key = Key.of("key" + i);
				List<String> order = this.lists.replicasOf(key).stream().map((replica) -> replica.nodeId()).toList();
				for (MemoryReplica replica : this.cluster.replicas) {
					if (replica.entries.get(key) instanceof Entry.Live live
							&& !order.subList(0, live.from()).contains(replica.nodeId())) {
						this.violations.add("%s holds %s, which was written to %s".formatted(replica.nodeId(), live,
								order.subList(0, live.from())));
					}
				}
			}
		}

		@Override
		public void close() {
			this.cluster.close();
		}

	}

}
