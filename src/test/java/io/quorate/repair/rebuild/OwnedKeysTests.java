package io.quorate.repair.rebuild;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.quorate.ring.Ring;
import io.quorate.ring.RingPair;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.repair.purge.PurgeFixture;
import io.quorate.ring.Member;
import io.quorate.storage.ScanPage.Item;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The entries that n1 of three nodes must hold. */
class OwnedKeysTests {

	private static final long NOW = 1_000_000;

	private static final Timestamp STAMP = Timestamp.ofMillis(NOW - 1000);

	private final OwnedKeys ownedKeys = owned(RingPair.of(PurgeFixture.RING));

	private static OwnedKeys owned(RingPair rings) {
		return new OwnedKeys(() -> rings, "n1", new SkewJudge(() -> NOW, System::nanoTime, Duration.ofSeconds(30)),
				() -> NOW);
	}

	/** A key that n1 has a place of in the order of its nodes. */
	static Key keyWith(int place) {
		return IntStream.range(0, 1000)
			.mapToObj((i) -> Key.of("key-" + i))
			.filter((key) -> PurgeFixture.RING.preferenceList(key)
				.stream()
				.map(Member::id)
				.toList()
				.indexOf("n1") == place)
			.findFirst()
			.orElseThrow();
	}

	private static Item live(int place, int from, long expiryMillis) {
		return new Item(keyWith(place), new Entry.Live(STAMP, from, expiryMillis, Value.EMPTY));
	}

	@Test
	void aValueIsHeldByTheFirstOfItsNodesThatItWasWrittenTo() {
		for (int from : List.of(1, 2, 3, 7)) {
			for (int place = 0; place < 3; place++) {
				assertThat(this.ownedKeys.isOurs(live(place, from, Entry.NEVER))).as("from %d, place %d", from, place)
					.isEqualTo(place < from);
			}
		}
	}

	@Test
	void valueForAllReplicasIsHeldByThoseOfALaterFactor() {
		Ring two = Ring.of(PurgeFixture.RING.members(), 2);
		OwnedKeys fewer = owned(new RingPair(two, two, 3));
		OwnedKeys more = owned(new RingPair(PurgeFixture.RING, PurgeFixture.RING, 2));
		for (int place = 0; place < 3; place++) {
			assertThat(fewer.isOurs(live(place, Entry.ALL, Entry.NEVER))).as("%d", place).isEqualTo(place < 2);
			assertThat(more.isOurs(live(place, Entry.ALL, Entry.NEVER))).as("%d", place).isTrue();
			assertThat(more.isOurs(live(place, 2, Entry.NEVER))).as("of the first factor, %d", place).isTrue();
			assertThat(more.isOurs(live(place, 1, Entry.NEVER))).as("of one copy, %d", place).isEqualTo(place == 0);
		}
	}

	@Test
	void aDeletionIsHeldByAll() {
		assertThat(this.ownedKeys.isOurs(new Item(keyWith(2), new Entry.Tombstone(STAMP, 1)))).isTrue();
	}

	@Test
	void anExpiredEntryIsOwnedLikeATombstone() {
		assertThat(this.ownedKeys.isOurs(live(2, 1, NOW))).as("as comparisons have it").isTrue();
		assertThat(this.ownedKeys.isOurs(live(2, 1, NOW + 1))).isFalse();
	}

	@Test
	void onlyWhatWasWrittenToThisNodeAloneNobodyElseCanHold() {
		assertThat(this.ownedKeys.isOnlyOurs(live(0, 1, Entry.NEVER))).isTrue();
		assertThat(this.ownedKeys.isOnlyOurs(live(0, 2, Entry.NEVER))).isFalse();
		assertThat(this.ownedKeys.isOnlyOurs(live(1, 1, Entry.NEVER))).as("another's").isFalse();
		assertThat(this.ownedKeys.isOnlyOurs(live(0, 1, NOW))).as("expired").isFalse();
		assertThat(this.ownedKeys.isOnlyOurs(new Item(keyWith(0), new Entry.Tombstone(STAMP, 1)))).isFalse();
	}

	@Test
	void anEntryFromTheFutureIsNotOwned() {
		Timestamp future = Timestamp.ofMillis(NOW + 31_000);
		assertThat(this.ownedKeys.isOurs(new Item(keyWith(0), new Entry.Tombstone(future, 3)))).isFalse();
	}

}
