package io.quorate.storage.wal;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.storage.Promise;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The judge of entries and promises. */
class PromisesTests {

	private static final Key KEY = Key.of("key");

	private final Promises promises = new Promises(3, 1000);

	@Test
	void aPromiseRefusesWhatIsBelowIt() {
		make(5);
		assertThat(this.promises.refusalOfEntry(KEY, at(4))).isEqualTo(at(5));
		assertThat(this.promises.refusalOfPromise(KEY, at(4))).isEqualTo(at(5));
		assertThat(this.promises.refusalOfPromise(KEY, at(5))).isNull();
		assertThat(this.promises.refusalOfEntry(Key.of("other"), at(4))).isNull();
		assertThat(this.promises.refusalOfEntry(KEY, at(5))).isNull();
		assertThat(this.promises.isEmpty()).isTrue();
		assertThat(this.promises.refusalOfEntry(KEY, at(4))).as("the entry is the fence now").isNull();
	}

	@Test
	void aReleaseReturnsToThePromiseThatWasReplaced() {
		make(5);
		make(7);
		make(9);
		this.promises.release(KEY, at(9));
		assertThat(this.promises.refusalOfEntry(KEY, at(6))).isEqualTo(at(7));
		make(9);
		this.promises.release(KEY, at(7));
		this.promises.release(KEY, at(9));
		assertThat(this.promises.refusalOfEntry(KEY, at(4))).isEqualTo(at(5));
		this.promises.release(KEY, at(6));
		assertThat(this.promises.isEmpty()).isFalse();
		this.promises.release(KEY, at(5));
		assertThat(this.promises.isEmpty()).isTrue();
	}

	@Test
	void othersSeeAChangeWhenItIsPublished() {
		make(5);
		assertThat(this.promises.of(KEY)).isNull();
		this.promises.publish();
		assertThat(this.promises.all()).containsExactly(new Promise(KEY, at(5), 1, 2));
		assertThat(this.promises.refusalOfEntry(KEY, at(6))).isNull();
		assertThat(this.promises.of(KEY)).isNotNull();
		this.promises.publish();
		assertThat(this.promises.of(KEY)).isNull();
	}

	@Test
	void replacedPromisesCountToTheBounds() {
		make(5);
		make(7);
		assertThat(this.promises.hasRoomFor(KEY)).isTrue();
		make(7);
		make(9);
		assertThat(this.promises.hasRoomFor(KEY)).isFalse();
		this.promises.release(KEY, at(7));
		assertThat(this.promises.hasRoomFor(KEY)).isTrue();
		assertThat(this.promises.hasRoomFor(Key.of("k".repeat(990)))).isFalse();
	}

	@Test
	void aReplayKeepsWhatAReleaseHasNotReached() {
		replay(StoredEntry.promised(at(9), false));
		replay(StoredEntry.promised(at(5), false));
		replay(StoredEntry.promised(at(7), false));
		this.promises.replayEntry(KEY, at(7));
		assertThat(this.promises.refusalOfEntry(KEY, at(8))).isEqualTo(at(9));
		replay(StoredEntry.promised(at(9), true));
		assertThat(this.promises.isEmpty()).isTrue();
	}

	/* A hot key may gather them faster than they are settled. */
	@Test
	void aPileOfAnyHeightIsCarriedInItsOrder() {
		int height = 100_000;
		Promises pile = new Promises(height, Long.MAX_VALUE);
		for (int ballot = height; ballot > 0; ballot--) {
			pile.make(new Promise(KEY, at(ballot), 1, 2), ballot);
		}
		assertThat(pile.hasRoomFor(KEY)).isFalse();
		pile.release(KEY, at(1));
		pile.replayEntry(KEY, at(2));
		assertThat(pile.hasRoomFor(KEY)).isTrue();
		List<StoredEntry> carried = new ArrayList<>();
		pile.forEach((_, entry) -> carried.add(entry));
		assertThat(carried).hasSize(height - 2).isSortedAccordingTo(Comparator.comparing(StoredEntry::timestamp));
		assertThat(carried.getFirst()).isEqualTo(StoredEntry.promised(at(3), false).withSequence(3));
		assertThat(pile.refusalOfEntry(KEY, at(height))).isNull();
		assertThat(pile.isEmpty()).isTrue();
	}

	/** Against sets of ballots, and what is carried and replayed against both. */
	@Test
	void noOrderOfRecordsLosesAPromise() {
		long seed = System.nanoTime();
		Random random = new Random(seed);
		for (int run = 0; run < 200; run++) {
			Promises judge = new Promises(1000, 1 << 20);
			List<KeyedEntry> log = new ArrayList<>();
			Map<Key, NavigableSet<Timestamp>> model = new HashMap<>();
			for (int step = 0; step < 50; step++) {
				Key key = Key.of("k" + random.nextInt(3));
				Timestamp stamp = at(1 + random.nextInt(12));
				NavigableSet<Timestamp> its = model.computeIfAbsent(key, (_) -> new TreeSet<>());
				Timestamp highest = its.isEmpty() ? Timestamp.ZERO : its.last();
				switch (random.nextInt(4)) {
					case 0 -> {
						Timestamp refusal = judge.refusalOfEntry(key, stamp);
						assertThat(refusal).as("seed %d", seed).isEqualTo(highest.isAfter(stamp) ? highest : null);
						if (refusal == null) {
							its.clear();
							log.add(new KeyedEntry(key,
									new StoredEntry(step, stamp, 0, 1, StoredEntry.Deleted.INSTANCE)));
						}
					}
					case 1 -> {
						judge.release(key, stamp);
						its.remove(stamp);
						log.add(new KeyedEntry(key, StoredEntry.promised(stamp, true)));
					}
					default -> {
						Timestamp refusal = judge.refusalOfPromise(key, stamp);
						assertThat(refusal).as("seed %d", seed).isEqualTo(highest.isAfter(stamp) ? highest : null);
						if (refusal == null) {
							judge.make(new Promise(key, stamp, 1, 2), step);
							its.add(stamp);
							log.add(new KeyedEntry(key, StoredEntry.promised(stamp, false).withSequence(step)));
						}
					}
				}
				requireStands(judge, model, "seed %d".formatted(seed));
			}
			Promises replayed = new Promises(1000, 1 << 20);
			log.forEach((each) -> replay(replayed, each));
			requireStands(replayed, model, "replayed, seed %d".formatted(seed));
			List<KeyedEntry> carried = new ArrayList<>();
			judge.forEach((key, entry) -> carried.add(new KeyedEntry(key, entry)));
			Promises begun = new Promises(1, 1);
			carried.forEach((each) -> replay(begun, each));
			requireStands(begun, model, "carried, seed %d".formatted(seed));
			carried.forEach((each) -> replay(replayed, each));
			requireStands(replayed, model, "replayed with both segments, seed %d".formatted(seed));
		}
	}

	private static void replay(Promises promises, KeyedEntry each) {
		if (each.entry().payload() instanceof StoredEntry.Promised) {
			promises.replayPromise(each.key(), each.entry(), 7);
		}
		else {
			promises.replayEntry(each.key(), each.entry().timestamp());
		}
	}

	private static void requireStands(Promises promises, Map<Key, NavigableSet<Timestamp>> model, String description) {
		for (int stamp = 1; stamp <= 12; stamp++) {
			for (Map.Entry<Key, NavigableSet<Timestamp>> its : model.entrySet()) {
				assertThat(promises.stands(its.getKey(), at(stamp))).as(description)
					.isEqualTo(its.getValue().contains(at(stamp)));
			}
		}
	}

	private void make(int ballot) {
		this.promises.make(new Promise(KEY, at(ballot), 1, 2), ballot);
	}

	private void replay(StoredEntry entry) {
		this.promises.replayPromise(KEY, entry, 7);
	}

	private static Timestamp at(int millis) {
		return Timestamp.ofMillis(millis);
	}

}
