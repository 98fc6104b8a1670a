package io.quorate.repair.comparison;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.RandomContentTypes;
import io.quorate.entry.Value;
import io.quorate.repair.comparison.Fixture.Counted;
import io.quorate.repair.comparison.Pass.Direction;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.comparison.ComparisonResult;
import io.quorate.replica.comparison.RangeHash;
import io.quorate.ring.Member;
import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import io.quorate.storage.HeaderPage;
import io.quorate.storage.ScanPage.Item;
import io.quorate.storage.ScanPage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nodes that are written to while they compare, over a network that loses, delays and
 * repeats what it is given, by a seed. Then nobody writes any more, every pair completes
 * a pass, and the same entries must be everywhere, on no more nodes than they were
 * written for.
 */
class ComparisonSimulationTests {

	private static final int KEYS = 3_000;

	private static final int PASSES = 12;

	/* Values that any node has ever been given, and the most copies of each. */
	private final Map<Key, List<Entry>> written = new HashMap<>();

	private final List<SimulatedStore> stores = new ArrayList<>();

	private final List<Runnable> late = new ArrayList<>();

	private Random random = new Random(0);

	private Ring ring = Fixture.THREE;

	private long now = 10_000;

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 })
	void twoNodesConverge(long seed) {
		simulate(Fixture.ring(2, 2), seed);
	}

	@ParameterizedTest
	@ValueSource(longs = { 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 })
	void threeNodesConverge(long seed) {
		simulate(Fixture.THREE, seed);
	}

	@ParameterizedTest
	@CsvSource({ "4, 2, 21", "4, 3, 22", "5, 3, 23", "5, 2, 24" })
	void nodesThatShareAPartConverge(int members, int replicationFactor, long seed) {
		simulate(Fixture.ring(members, replicationFactor), seed);
	}

	private void simulate(Ring members, long seed) {
		this.random = new Random(seed);
		this.ring = members;
		members.members().forEach((_) -> this.stores.add(new SimulatedStore()));
		for (int i = 0; i < 2 * KEYS; i++) {
			write();
		}
		for (int i = 0; i < PASSES; i++) {
			compare(this.random.nextInt(this.stores.size()), this.random.nextInt(this.stores.size()));
			requireNoMoreCopiesThanWritten();
		}
		this.late.forEach(Runnable::run);
		this.late.clear();
		settle();
		requireEverythingWhereItBelongs();
		requireNoMoreCopiesThanWritten();
		requireHashesOnly();
	}

	/** A write of a client, which reaches some of its nodes, now or later or never. */
	private void write() {
		this.now++;
		Key key = Fixture.key(this.random.nextInt(KEYS));
		int factor = this.ring.replicationFactor();
		int from = (this.random.nextInt(4) == 0) ? 1 + this.random.nextInt(factor) : factor;
		Timestamp stamp = new Timestamp(Timestamp.hybridOfMillis(this.now), this.random.nextInt(3));
		boolean delete = this.random.nextInt(4) == 0;
		Entry entry = delete ? new Entry.Tombstone(stamp, from)
				: new Entry.Live(stamp, from, (this.random.nextInt(5) == 0) ? this.now + 50 : Entry.NEVER,
						Value.wrap(new byte[this.random.nextInt(100)]), RandomContentTypes.next(this.random));
		this.written.computeIfAbsent(key, (_) -> new ArrayList<>()).add(entry);
		boolean arrived = false;
		for (Member holder : this.ring.preferenceList(key).subList(0, delete ? factor : from)) {
			SimulatedStore store = store(holder.id());
			int luck = this.random.nextInt(10);
			if (luck < 8 || !arrived) {
				store.apply(key, entry);
				arrived = true;
			}
			else if (luck == 8) {
				this.late.add(() -> store.apply(key, entry));
			}
		}
	}

	private void compare(int leader, int other) {
		if (leader == other) {
			return;
		}
		Scope scope = scope(leader, other, this.now - 20);
		PeerStore peer = new Network(Fixture.reached(scope, this.stores.get(other)));
		Pass pass = new Pass(scope, KeyRange.ALL, Direction.BOTH, this.stores.get(leader), peer, new Counted());
		for (int attempt = 0; attempt < 20 && pass.position() != null; attempt++) {
			try {
				pass.run();
			}
			catch (ComparisonFailedException interrupted) {
				assertThat(interrupted.failure().reason()).isEqualTo(Reason.TIMEOUT);
			}
		}
	}

	/**
	 * Nobody writes any more: one pass of a pair makes it equal, and what a third node
	 * brings later goes on with the next.
	 */
	private void settle() {
		for (int leader = 0; leader < this.stores.size(); leader++) {
			for (int other = leader + 1; other < this.stores.size(); other++) {
				pass(leader, other);
				requireEqual(leader, other);
			}
		}
		for (int leader = 0; leader < this.stores.size(); leader++) {
			for (int other = leader + 1; other < this.stores.size(); other++) {
				pass(leader, other);
			}
		}
	}

	private Counted pass(int leader, int other) {
		Scope scope = scope(leader, other, this.now);
		Counted counted = new Counted();
		new Pass(scope, KeyRange.ALL, Direction.BOTH, this.stores.get(leader),
				Fixture.reached(scope, this.stores.get(other)), counted)
			.run();
		return counted;
	}

	/** Whatever one of two holds and both must hold, the other holds or has newer. */
	private void requireEqual(int one, int other) {
		SharedEntries shared = SharedEntries.of(RingPair.of(this.ring), "n" + one, "n" + other);
		requireHolds(shared, this.stores.get(one), this.stores.get(other));
		requireHolds(shared, this.stores.get(other), this.stores.get(one));
	}

	private static void requireHolds(SharedEntries shared, SimulatedStore from, SimulatedStore in) {
		from.entries().forEach((key, entry) -> {
			if (shared.isShared(key, entry)) {
				Entry there = in.read(key);
				assertThat(there).as("%s", key).isNotNull();
				assertThat(there.timestamp()).as("%s", key).isGreaterThanOrEqualTo(entry.timestamp());
			}
		});
	}

	private void requireEverythingWhereItBelongs() {
		for (int one = 0; one < this.stores.size(); one++) {
			for (int other = one + 1; other < this.stores.size(); other++) {
				requireEqual(one, other);
			}
		}
		this.written.forEach((key, entries) -> {
			Entry newest = entries.stream().reduce(Entry::merge).orElseThrow();
			int copies = newest.isAbsentAt(this.now) ? this.ring.replicationFactor() : newest.from();
			List<Member> holders = this.ring.preferenceList(key).subList(0, copies);
			assertThat(holders).as("%s: %s", key, newest)
				.allSatisfy((holder) -> assertThat(store(holder.id()).read(key)).isEqualTo(newest));
		});
	}

	private void requireNoMoreCopiesThanWritten() {
		Map<Key, Map<Timestamp, Set<Integer>>> holders = new HashMap<>();
		for (int node = 0; node < this.stores.size(); node++) {
			int number = node;
			this.stores.get(node).entries().forEach((key, entry) -> {
				if (!entry.isAbsentAt(this.now)) {
					Set<Integer> nodes = holders.computeIfAbsent(key, (_) -> new HashMap<>())
						.computeIfAbsent(entry.timestamp(), (_) -> new HashSet<>());
					nodes.add(number);
					assertThat(nodes).as("copies of %s", key).hasSizeLessThanOrEqualTo(entry.from());
				}
			});
		}
	}

	/*
	 * Where an older copy is left beside a newer entry of fewer copies, headers are
	 * looked at again and again, but no entry travels.
	 */
	private void requireHashesOnly() {
		for (int leader = 0; leader < this.stores.size(); leader++) {
			for (int other = leader + 1; other < this.stores.size(); other++) {
				Counted counted = pass(leader, other);
				assertThat(counted.sent + counted.received).isZero();
				assertThat(counted.entryBytes).isZero();
			}
		}
	}

	private Scope scope(int one, int other, long instantMillis) {
		return new Scope(SharedEntries.of(RingPair.of(this.ring), "n" + one, "n" + other),
				Fixture.roundAt(instantMillis));
	}

	private SimulatedStore store(String node) {
		return this.stores.get(Integer.parseInt(node.substring(1)));
	}

	/**
	 * Between two questions clients write; questions and answers are lost, and what is
	 * sent may arrive again, much later.
	 */
	private final class Network implements PeerStore {

		private final PeerStore peer;

		Network(PeerStore peer) {
			this.peer = peer;
		}

		@Override
		public ComparisonResult compare(List<RangeHash> ranges) {
			happen();
			ComparisonResult answer = this.peer.compare(ranges);
			happen();
			return answer;
		}

		@Override
		public HeaderPage headers(Key start, @Nullable Key end) {
			happen();
			HeaderPage answer = this.peer.headers(start, end);
			happen();
			return answer;
		}

		@Override
		public ScanPage fetch(List<Key> keys) {
			happen();
			ScanPage answer = this.peer.fetch(keys);
			happen();
			return answer;
		}

		@Override
		public void apply(List<Item> entries) {
			happen();
			List<Item> some = entries.subList(0, 1 + ComparisonSimulationTests.this.random.nextInt(entries.size()));
			switch (ComparisonSimulationTests.this.random.nextInt(4)) {
				case 0 -> {
					ComparisonSimulationTests.this.late.add(() -> this.peer.apply(some));
					throw lost();
				}
				case 1 -> {
					this.peer.apply(some);
					throw lost();
				}
				case 2 -> {
					this.peer.apply(entries);
					ComparisonSimulationTests.this.late.add(() -> this.peer.apply(entries));
				}
				default -> this.peer.apply(entries);
			}
			happen();
		}

		private void happen() {
			for (int i = ComparisonSimulationTests.this.random.nextInt(5); i > 0; i--) {
				write();
			}
			if (!ComparisonSimulationTests.this.late.isEmpty()
					&& ComparisonSimulationTests.this.random.nextInt(3) == 0) {
				ComparisonSimulationTests.this.late
					.remove(ComparisonSimulationTests.this.random.nextInt(ComparisonSimulationTests.this.late.size()))
					.run();
			}
			if (ComparisonSimulationTests.this.random.nextInt(20) == 0) {
				throw lost();
			}
		}

		private static ComparisonFailedException lost() {
			return new ComparisonFailedException(new Failure(Reason.TIMEOUT, "lost"));
		}

	}

}
