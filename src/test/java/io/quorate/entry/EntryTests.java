package io.quorate.entry;

import java.nio.charset.StandardCharsets;
import java.util.Random;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry.Live;
import io.quorate.entry.Entry.Tombstone;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class EntryTests {

	private static final int ROUNDS = 100_000;

	private static final Timestamp EARLY = new Timestamp(1000, 1);

	private static final Timestamp LATE = new Timestamp(2000, 1);

	private final long seed = System.nanoTime();

	private final Random random = new Random(this.seed);

	@Test
	void theLaterTimestampWinsWhateverItIs() {
		assertWins(live(LATE, 5, "a"), new Tombstone(EARLY, 3));
		assertWins(new Tombstone(LATE, 3), live(EARLY, Versioned.NEVER, "z"));
		assertWins(live(new Timestamp(1000, 2), 5, "a"), live(EARLY, 1, "z"));
	}

	@Test
	void onATieTheTombstoneWins() {
		assertWins(new Tombstone(EARLY, 1), live(EARLY, 1, "z"));
	}

	@Test
	void onATieTheEarlierExpiryWins() {
		assertWins(live(EARLY, 10, "a"), live(EARLY, 11, "z"));
		assertWins(live(EARLY, 10, "a"), live(EARLY, Versioned.NEVER, "z"));
	}

	@Test
	void onATieTheLargerBytesWinUnsigned() {
		assertWins(live(EARLY, 10, "b"), live(EARLY, 10, "a"));
		assertWins(live(EARLY, 10, "aa"), live(EARLY, 10, "a"));
		assertWins(new Live(EARLY, 1, 10, Value.wrap(new byte[] { (byte) 0x80 })),
				new Live(EARLY, 1, 10, Value.wrap(new byte[] { 0x7f })));
	}

	@Test
	void onATieTheLaterContentTypeWinsAndNoneLoses() {
		assertWins(typed("b", "text/plain"), typed("b", "text/html"));
		assertWins(typed("b", "text/html"), live(EARLY, 10, "b"));
		assertWins(live(EARLY, 10, "b"), typed("a", "text/plain"));
	}

	private static Entry typed(String value, String type) {
		return new Live(EARLY, 3, 10, Value.wrap(value.getBytes(StandardCharsets.UTF_8)), ContentType.of(type));
	}

	@Test
	void expiryHidesAnEntryAndNeverMakesAnOlderOneWin() {
		Entry expired = live(LATE, 5, "new");
		assertThat(expired.isAbsentAt(4)).isFalse();
		assertThat(expired.isAbsentAt(5)).isTrue();
		assertThat(new Tombstone(LATE, 1).isAbsentAt(0)).isTrue();
		assertThat(live(EARLY, Versioned.NEVER, "old").isAbsentAt(Long.MAX_VALUE - 1)).isFalse();
		assertWins(expired, live(EARLY, Versioned.NEVER, "old"));
	}

	@Test
	void aPlainEntryHasTheVersionOfItsTimestampAndNoKnownParent() {
		Entry plain = live(EARLY, 5, "a");
		assertThat(plain.lineage()).isNull();
		assertThat(plain.version()).isEqualTo(EARLY);
		assertThat(plain.parent()).isNull();
		assertThat(new Tombstone(EARLY, 3).version()).isEqualTo(EARLY);
	}

	@Test
	void anEntryThatIsCarriedOnKeepsAllButItsTimestamp() {
		ContentType type = ContentType.of("text/plain");
		Value value = Value.wrap(new byte[] { 1 });
		Lineage plain = new Lineage(EARLY, null);
		Lineage descended = new Lineage(EARLY, Timestamp.ZERO);
		assertThat(new Live(EARLY, 2, 5, value, type).at(LATE)).isEqualTo(new Live(LATE, 2, 5, value, type, plain));
		assertThat(new Live(EARLY, 2, 5, value, type, descended).at(LATE))
			.isEqualTo(new Live(LATE, 2, 5, value, type, descended));
		assertThat(new Tombstone(EARLY, 2).at(LATE)).isEqualTo(new Tombstone(LATE, 2, plain));
		assertThat(new Tombstone(EARLY, 2, descended).at(LATE)).isEqualTo(new Tombstone(LATE, 2, descended));
	}

	@Test
	void anEntryThatIsCarriedOnTwiceKeepsItsVersionAndWins() {
		Entry once = live(EARLY, 5, "a").at(LATE);
		Entry twice = once.at(new Timestamp(3000, 2));
		assertThat(twice.version()).isEqualTo(EARLY);
		assertThat(twice.parent()).isNull();
		assertWins(twice, once);
		assertWins(once, live(new Timestamp(1500, 1), 5, "z"));
	}

	@Test
	void mergingIsCommutative() {
		for (int i = 0; i < ROUNDS; i++) {
			Entry a = randomEntry();
			Entry b = randomEntry();
			assertSame(Entry.merge(a, b), Entry.merge(b, a));
		}
	}

	@Test
	void mergingIsAssociative() {
		for (int i = 0; i < ROUNDS; i++) {
			Entry a = randomEntry();
			Entry b = randomEntry();
			Entry c = randomEntry();
			assertSame(Entry.merge(a, Entry.merge(b, c)), Entry.merge(Entry.merge(a, b), c));
		}
	}

	@Test
	void mergingIsIdempotentAndGivesOneOfTheTwo() {
		for (int i = 0; i < ROUNDS; i++) {
			Entry a = randomEntry();
			Entry b = randomEntry();
			Entry merged = Entry.merge(a, b);
			assertThat(merged).as("seed %d", this.seed).isIn(a, b);
			assertSame(Entry.merge(a, a), a);
			assertSame(Entry.merge(merged, a), merged);
			assertSame(Entry.merge(merged, b), merged);
		}
	}

	/* Two nodes never give out one timestamp, so the copies asked for decide nothing. */
	private Entry randomEntry() {
		Timestamp timestamp = new Timestamp(this.random.nextInt(3), this.random.nextInt(2));
		if (this.random.nextInt(4) == 0) {
			return new Tombstone(timestamp, 3);
		}
		long expiry = this.random.nextBoolean() ? Versioned.NEVER : this.random.nextInt(3);
		byte[] bytes = new byte[this.random.nextInt(3)];
		for (int i = 0; i < bytes.length; i++) {
			bytes[i] = (byte) (0x7f + this.random.nextInt(2));
		}
		ContentType type = this.random.nextBoolean() ? null : ContentType.of("a" + this.random.nextInt(2));
		return new Live(timestamp, 3, expiry, Value.wrap(bytes), type);
	}

	private void assertSame(Entry actual, Entry expected) {
		assertThat(actual).as("seed %d", this.seed).isEqualTo(expected);
	}

	private static void assertWins(Entry winner, Entry loser) {
		assertThat(Entry.merge(winner, loser)).isSameAs(winner);
		assertThat(Entry.merge(loser, winner)).isSameAs(winner);
	}

	private static Entry live(Timestamp timestamp, long expiryMillis, String value) {
		return new Live(timestamp, 3, expiryMillis, Value.wrap(value.getBytes(StandardCharsets.UTF_8)));
	}

}
