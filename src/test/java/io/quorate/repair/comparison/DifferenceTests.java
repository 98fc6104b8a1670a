package io.quorate.repair.comparison;

import java.util.List;

import io.quorate.ring.RingPair;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.ring.Member;
import io.quorate.storage.HeaderPage.Header;
import org.junit.jupiter.api.Test;

import static io.quorate.repair.comparison.Fixture.THREE;
import static io.quorate.repair.comparison.Fixture.live;
import static io.quorate.repair.comparison.Fixture.roundAt;
import static io.quorate.repair.comparison.Fixture.tombstone;
import static org.assertj.core.api.Assertions.assertThat;

/** The entries that two nodes have to send each other, case by case. */
class DifferenceTests {

	/* Of n0 and n1, of all that was written up to then. */
	private static final long INSTANT = 1_000;

	private static final Scope SCOPE = new Scope(SharedEntries.of(RingPair.of(THREE), "n0", "n1"), roundAt(INSTANT));

	private static final Key KEY = keyFirstHeldBy("n0");

	@Test
	void theSameOnBothSidesIsNoDifference() {
		Header header = header(live(10, 3));
		assertThat(Difference.between(List.of(header), List.of(header), SCOPE)).isEqualTo(none());
	}

	@Test
	void anEntryThatOnlyOneSideHoldsGoesToTheOther() {
		Header header = header(live(10, 3));
		assertThat(Difference.between(List.of(header), List.of(), SCOPE)).isEqualTo(owed(header));
		assertThat(Difference.between(List.of(), List.of(header), SCOPE)).isEqualTo(missing(header));
	}

	@Test
	void theNewerOneGoesToWhoHoldsTheOlder() {
		Header older = header(live(10, 3));
		Header newer = header(tombstone(20, 3));
		assertThat(Difference.between(List.of(newer), List.of(older), SCOPE)).isEqualTo(owed(newer));
		assertThat(Difference.between(List.of(older), List.of(newer), SCOPE)).isEqualTo(missing(newer));
	}

	/* One copy on n0: n1 keeps its older one, and nobody has to give anything. */
	@Test
	void aNewerOneThatTheOtherMustNotHoldIsNotGiven() {
		Header older = header(live(10, 3));
		Header newer = header(live(20, 1));
		assertThat(Difference.between(List.of(newer), List.of(older), SCOPE)).isEqualTo(none());
		assertThat(Difference.between(List.of(newer), List.of(), SCOPE)).isEqualTo(none());
	}

	@Test
	void aTombstoneGoesToAllWhateverItsDeletionAskedFor() {
		Header header = header(tombstone(20, 1));
		assertThat(Difference.between(List.of(header), List.of(), SCOPE)).isEqualTo(owed(header));
	}

	/* One copy on n0, and it hides what n1 holds: purged, it would do so no more. */
	@Test
	void anExpiredEntryGoesToAllReplicasWhateverItsWriteAskedFor() {
		Header older = header(live(10, 3));
		Header expired = header(expiring(20, INSTANT));
		assertThat(Difference.between(List.of(expired), List.of(older), SCOPE)).isEqualTo(owed(expired));
		assertThat(Difference.between(List.of(), List.of(expired), SCOPE)).isEqualTo(missing(expired));
		Header later = header(expiring(20, INSTANT + 1));
		assertThat(Difference.between(List.of(later), List.of(older), SCOPE)).isEqualTo(none());
	}

	/* It may still be on its way, and so may what it replaced seem to be missing. */
	@Test
	void anEntryWrittenAfterTheInstantIsLeftOut() {
		Header early = header(live(INSTANT, 3));
		Header late = header(live(INSTANT + 1, 3));
		assertThat(Difference.between(List.of(late), List.of(), SCOPE)).isEqualTo(none());
		assertThat(Difference.between(List.of(early), List.of(late), SCOPE)).isEqualTo(none());
		assertThat(Difference.between(List.of(early), List.of(), SCOPE)).isEqualTo(owed(early));
	}

	private static Key keyFirstHeldBy(String node) {
		for (int number = 0;; number++) {
			Key key = Fixture.key(number);
			List<String> order = THREE.preferenceList(key).stream().map(Member::id).toList();
			if (order.getFirst().equals(node)) {
				return key;
			}
		}
	}

	private static Entry expiring(long millis, long expiryMillis) {
		return new Entry.Live(Timestamp.ofMillis(millis), 1, expiryMillis, Value.wrap(new byte[1]));
	}

	private static Header header(Entry entry) {
		return SimulatedStore.header(KEY, entry);
	}

	private static Difference none() {
		return new Difference(List.of(), List.of());
	}

	private static Difference owed(Header header) {
		return new Difference(List.of(), List.of(header));
	}

	private static Difference missing(Header header) {
		return new Difference(List.of(header), List.of());
	}

}
