package io.quorate.repair.comparison;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.quorate.ring.RingPair;
import io.quorate.clock.Timestamp;
import io.quorate.entry.ContentType;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.repair.comparison.Fixture.Counted;
import io.quorate.repair.comparison.Pass.Direction;
import io.quorate.replica.comparison.PeerComparison;
import io.quorate.storage.ScanPage;
import org.junit.jupiter.api.Test;

import static io.quorate.repair.comparison.Fixture.THREE;
import static io.quorate.repair.comparison.Fixture.key;
import static io.quorate.repair.comparison.Fixture.live;
import static io.quorate.repair.comparison.Fixture.reached;
import static io.quorate.repair.comparison.Fixture.ring;
import static io.quorate.repair.comparison.Fixture.roundAt;
import static io.quorate.repair.comparison.Fixture.tombstone;
import static org.assertj.core.api.Assertions.assertThat;

/** The work of a pass, and its cost. */
class PassTests {

	private static final int MANY = 100_000;

	private static final Scope SCOPE = new Scope(SharedEntries.of(RingPair.of(THREE), "n0", "n1"), roundAt(1_000_000));

	private final SimulatedStore ours = new SimulatedStore();

	private final SimulatedStore theirs = new SimulatedStore();

	private final Counted counted = new Counted();

	@Test
	void equalStoresTransferHashesOnly() {
		fill(MANY);
		run(KeyRange.ALL);
		assertThat(this.counted.keysRead).isEqualTo(MANY);
		assertThat(this.counted.rangesDiffering).isZero();
		assertThat(this.counted.compared).isEqualTo(MANY);
		assertThat(this.counted.hashBytes).isPositive().isLessThan(MANY / 50);
		assertThat(this.counted.headerBytes + this.counted.entryBytes).isZero();
	}

	@Test
	void aFewDifferencesAreFoundForAFewBytes() {
		fill(MANY);
		for (int i = 0; i < 10; i++) {
			this.ours.apply(key(i * 9_000 + 17), live(200_000, 3));
			this.theirs.apply(key(i * 9_000 + 4_321), tombstone(200_000, 3));
		}
		run(KeyRange.ALL);
		requireEqual();
		assertThat(this.counted.sent).isEqualTo(10);
		assertThat(this.counted.received).isEqualTo(10);
		assertThat(this.counted.rangesDiffering).isEqualTo(20);
		assertThat(this.counted.entryBytes).isLessThan(20 * 100);
		assertThat(this.counted.headerBytes).isLessThan(20 * 64 * 64);
	}

	@Test
	void anEmptyStoreGetsEverythingAndGivesEverything() {
		for (int i = 0; i < 20_000; i++) {
			this.theirs.apply(key(i), live(i, 3));
		}
		run(KeyRange.ALL);
		requireEqual();
		assertThat(this.counted.received).isEqualTo(20_000);
		SimulatedStore empty = new SimulatedStore();
		pass(KeyRange.ALL, Direction.BOTH, empty).run();
		assertThat(empty.entries()).isEqualTo(this.ours.entries());
	}

	@Test
	void aRebuildFetchesAndSendsNothing() {
		for (int i = 0; i < 1_000; i++) {
			((i % 2 == 0) ? this.theirs : this.ours).apply(key(i), live(i, 3));
		}
		pass(KeyRange.ALL, Direction.FETCH, this.theirs).run();
		assertThat(this.ours.entries()).hasSize(1_000);
		assertThat(this.theirs.entries()).hasSize(500);
	}

	@Test
	void aPassTellsItsObserverOfEachAnswerOnce() {
		for (int i = 0; i < 5_000; i++) {
			((i % 2 == 0) ? this.theirs : this.ours).apply(key(i), live(i, 3));
		}
		UnreliablePeer peer = new UnreliablePeer(reached(SCOPE, this.theirs), Integer.MAX_VALUE);
		new Pass(SCOPE, KeyRange.ALL, Direction.BOTH, this.ours, peer, this.counted).run();
		requireEqual();
		assertThat(this.counted.answers).isEqualTo(peer.asked()).isGreaterThan(10);
	}

	@Test
	void aRangeIsComparedAlone() {
		for (int i = 0; i < 1_000; i++) {
			this.theirs.apply(key(i), live(i, 3));
		}
		run(new KeyRange(key(100), key(200)));
		assertThat(this.ours.entries().keySet()).hasSize(100)
			.allMatch((key) -> key.compareTo(key(100)) >= 0 && key.compareTo(key(200)) < 0);
	}

	@Test
	void largeValuesGoOneByOne() {
		Value large = Value.wrap(new byte[3_000_000]);
		for (int i = 0; i < 10; i++) {
			SimulatedStore store = (i % 2 == 0) ? this.ours : this.theirs;
			store.apply(key(i), new Entry.Live(Timestamp.ofMillis(5), 3, Entry.NEVER, large));
		}
		run(KeyRange.ALL);
		requireEqual();
	}

	@Test
	void anAnswerWithLongContentTypesIsNoLongerThanOthers() {
		ContentType longest = ContentType.of("a".repeat(ContentType.MAX_SIZE_BYTES));
		List<Key> keys = new ArrayList<>();
		for (int i = 0; i < PeerComparison.MAX_KEYS; i++) {
			keys.add(key(i));
			this.theirs.apply(key(i),
					new Entry.Live(Timestamp.ofMillis(5), 3, Entry.NEVER, Value.wrap(new byte[100]), longest));
		}
		ScanPage page = new ComparisonAnswers(SCOPE, this.theirs).fetch(keys);
		assertThat(page.next()).isNotNull();
		assertThat(page.records().stream().mapToLong((item) -> item.key().size() + 100 + longest.size()).sum())
			.isBetween(PeerComparison.MAX_BYTES * 9L / 10, (long) PeerComparison.MAX_BYTES);
		run(KeyRange.ALL);
		requireEqual();
	}

	/* Half of the keys of five nodes with two copies are none of their business. */
	@Test
	void anEntryThatThePairDoesNotShareStaysWhereItIs() {
		SharedEntries shared = SharedEntries.of(RingPair.of(ring(5, 2)), "n0", "n1");
		Scope scope = new Scope(shared, roundAt(1_000_000));
		for (int i = 0; i < 50_000; i++) {
			this.theirs.apply(key(i), live(i, 2));
		}
		new Pass(scope, KeyRange.ALL, Direction.BOTH, this.ours, reached(scope, this.theirs), this.counted).run();
		assertThat(this.ours.entries()).isNotEmpty();
		this.theirs.entries()
			.forEach((key, entry) -> assertThat(Objects.equals(this.ours.read(key), entry))
				.isEqualTo(shared.isShared(key, entry)));
		Counted again = new Counted();
		new Pass(scope, KeyRange.ALL, Direction.BOTH, this.ours, reached(scope, this.theirs), again).run();
		assertThat(again.entryBytes + again.headerBytes).isZero();
	}

	@Test
	void aPassGoesOnWhereItWasBrokenOff() {
		fill(MANY);
		this.theirs.apply(key(10), live(200_000, 3));
		this.theirs.apply(key(MANY - 10), live(200_000, 3));
		PeerStore unreliable = new UnreliablePeer(reached(SCOPE, this.theirs), 5);
		Pass pass = new Pass(SCOPE, KeyRange.ALL, Direction.BOTH, this.ours, unreliable, this.counted);
		int interruptions = 0;
		Key before = KeyRange.ALL.start();
		while (pass.position() != null) {
			try {
				pass.run();
			}
			catch (ComparisonFailedException interrupted) {
				interruptions++;
				Key after = Objects.requireNonNull(pass.position());
				assertThat(after).isGreaterThanOrEqualTo(before);
				before = after;
			}
		}
		requireEqual();
		assertThat(interruptions).isPositive();
		assertThat(before).isGreaterThan(key(MANY / 2));
	}

	private void fill(int keys) {
		for (int i = 0; i < keys; i++) {
			Entry entry = (i % 7 == 0) ? tombstone(i, 3) : live(i, 3);
			this.ours.apply(key(i), entry);
			this.theirs.apply(key(i), entry);
		}
	}

	private void run(KeyRange range) {
		pass(range, Direction.BOTH, this.theirs).run();
	}

	private Pass pass(KeyRange range, Direction direction, SimulatedStore other) {
		return new Pass(SCOPE, range, direction, this.ours, reached(SCOPE, other), this.counted);
	}

	private void requireEqual() {
		assertThat(this.ours.entries()).isEqualTo(this.theirs.entries());
	}

}
