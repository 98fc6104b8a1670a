package io.quorate.storage.sstable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;

import io.quorate.entry.Key;
import io.quorate.storage.PageVerification;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.record.StoredEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class KeyCacheTests {

	private static final int ENTRIES = 5000;

	private static final int SET_BYTES = 32;

	private static final int SET_SLOTS = 4;

	@TempDir
	private Path directory;

	private final Lookups lookups = new Lookups();

	@Test
	void aKeyThatWasFoundIsNotSearchedAgain() throws IOException {
		NavigableMap<Key, StoredEntry> entries = entries(0);
		try (SortedTable table = table(new KeyCache(1 << 20), entries, 1)) {
			entries.forEach((key, entry) -> assertThat(table.get(key)).isEqualTo(entry));
			assertThat(this.lookups.searched).as("all, but for tags that are alike by chance")
				.hasValueGreaterThan(4990);
			for (int round = 0; round < 3; round++) {
				this.lookups.clear();
				entries.forEach((key, entry) -> assertThat(table.get(key)).isEqualTo(entry));
				assertThat(this.lookups.fromCache).hasValueGreaterThan(ENTRIES - ENTRIES / 100);
			}
		}
	}

	@Test
	void aKeyThatIsNotThereIsNotRemembered() throws IOException {
		try (SortedTable table = table(new KeyCache(1 << 20), entries(0), 1)) {
			for (int i = 0; i < 100; i++) {
				assertThat(table.get(Key.of("key-002000-not"))).isNull();
			}
		}
		assertThat(this.lookups.searched).hasValue(100);
	}

	@Test
	void tablesThatShareACacheAreKeptApart() throws IOException {
		KeyCache cache = new KeyCache(1 << 20);
		NavigableMap<Key, StoredEntry> more = entries(1);
		NavigableMap<Key, StoredEntry> fewer = new TreeMap<>(entries(2).tailMap(Key.of("key-004000")));
		try (SortedTable one = table(cache, more, 1); SortedTable other = table(cache, fewer, 2)) {
			for (int round = 0; round < 3; round++) {
				more.forEach((key, entry) -> {
					assertThat(one.get(key)).isEqualTo(entry);
					assertThat(other.get(key)).isEqualTo(fewer.get(key));
				});
			}
		}
		assertThat(this.lookups.fromCache).hasValueGreaterThan(11_000);
	}

	@Test
	void aTableIsReadRightWhereAnotherOneWasBefore() throws IOException {
		KeyCache cache = new KeyCache(1 << 20);
		for (int i = 0; i < 10; i++) {
			NavigableMap<Key, StoredEntry> entries = entries(i);
			try (SortedTable table = table(cache, entries, i)) {
				entries.forEach((key, entry) -> assertThat(table.get(key)).isEqualTo(entry));
			}
		}
	}

	@Test
	void keysOfTheSameHashAreToldApart() throws IOException {
		NavigableMap<Key, StoredEntry> entries = entries(0);
		try (SortedTable table = table(new KeyCache(1 << 20), entries, 1)) {
			for (int round = 0; round < 2; round++) {
				entries.forEach((key, entry) -> assertThat(table.get(key, 7)).isEqualTo(entry));
			}
			assertThat(this.lookups.fromCache).as("the latest key was always another one").hasValue(0);
			assertThat(table.get(Key.of("key-002000-not"), 7)).isNull();
			assertThat(table.get(entries.lastKey(), 7)).isEqualTo(entries.lastEntry().getValue());
			assertThat(this.lookups.fromCache).hasValue(1);
		}
	}

	@Test
	void aRememberedKeyMayBeContainedWhateverTheFilterSays() throws IOException {
		NavigableMap<Key, StoredEntry> entries = entries(0);
		try (SortedTable table = table(new KeyCache(1 << 20), entries, 1)) {
			Key key = entries.firstKey();
			long notInTheFilter = LongStream.range(1, 1000)
				.filter((hash) -> !table.mayContain(key, hash))
				.findFirst()
				.orElseThrow();
			assertThat(table.get(key, notInTheFilter)).isEqualTo(entries.get(key));
			assertThat(table.mayContain(key, notInTheFilter)).isTrue();
			assertThat(table.mayContain(Key.of("kex"), notInTheFilter)).as("out of bounds").isFalse();
		}
	}

	@Test
	void theLatestOfASetStay() {
		KeyCache.OfTable places = new KeyCache(SET_BYTES).open(10);
		for (int i = 1; i <= SET_SLOTS + 1; i++) {
			places.keep(i, EntryPosition.of(i, 0, 0));
		}
		assertThat(places.find(1)).isEqualTo(EntryPosition.NONE);
		for (int i = 2; i <= SET_SLOTS + 1; i++) {
			assertThat(places.find(i)).isEqualTo(EntryPosition.of(i, 0, 0));
		}
	}

	@Test
	void takesNoMoreThanItMay() {
		KeyCache cache = new KeyCache(10_000);
		KeyCache.OfTable places = cache.open(1);
		LongStream.range(0, 100_000).forEach((hash) -> places.keep(hash, EntryPosition.of(0, 1, 2)));
		assertThat(
				LongStream.range(0, 100_000).filter((hash) -> places.find(hash) == EntryPosition.of(0, 1, 2)).count())
			.as("slots of 8 bytes, and tags that are alike by chance")
			.isBetween(1024L, 1024L + 50);
	}

	@Test
	void aCacheOfNothingRemembersNothing() {
		for (long bytes = 0; bytes < SET_BYTES; bytes++) {
			KeyCache.OfTable places = new KeyCache(bytes).open(10);
			places.keep(1, EntryPosition.of(1, 2, 3));
			assertThat(places.find(1)).isEqualTo(EntryPosition.NONE);
		}
	}

	@Test
	void noPageIsToldThatATableHasNot() {
		long[] slots = new long[SET_SLOTS];
		long salt = 17;
		KeyCache.OfTable larger = new KeyCache.OfTable(slots, salt, 10);
		larger.keep(5, EntryPosition.of(9, 0, 0));
		assertThat(larger.find(5)).isEqualTo(EntryPosition.of(9, 0, 0));
		assertThat(new KeyCache.OfTable(slots, salt, 9).find(5)).as("its tags are the same")
			.isEqualTo(EntryPosition.NONE);
	}

	@ParameterizedTest
	@CsvSource({ "0, 0, 0", "65535, 2047, 511", "65535, 0, 0", "0, 2047, 0", "0, 0, 511" })
	void placesAreRememberedWhole(int page, int node, int position) {
		KeyCache.OfTable places = new KeyCache(SET_BYTES).open(65_536);
		places.keep(5, EntryPosition.of(page, node, position));
		assertThat(places.find(5)).isEqualTo(EntryPosition.of(page, node, position));
	}

	@ParameterizedTest
	@CsvSource({ "65536, 0, 0", "0, 2048, 0", "0, 0, 512" })
	void placesThatHaveNoRoomAreNotRemembered(int page, int node, int position) {
		KeyCache.OfTable places = new KeyCache(SET_BYTES).open(100_000);
		places.keep(5, EntryPosition.of(page, node, position));
		assertThat(places.find(5)).isEqualTo(EntryPosition.NONE);
	}

	@Test
	void aKeyTakesOneSlotHoweverOftenItIsKept() {
		KeyCache.OfTable places = new KeyCache(SET_BYTES).open(10);
		for (int i = 1; i <= SET_SLOTS; i++) {
			places.keep(i, EntryPosition.of(i, 0, 0));
		}
		for (int i = 0; i < 10; i++) {
			places.keep(2, EntryPosition.of(9, i, 0));
		}
		assertThat(places.find(2)).isEqualTo(EntryPosition.of(9, 9, 0));
		for (int i : new int[] { 1, 3, 4 }) {
			assertThat(places.find(i)).isEqualTo(EntryPosition.of(i, 0, 0));
		}
	}

	@Test
	void theRememberedPageIsTheOneThatHasToBeInMemory() throws IOException {
		NavigableMap<Key, StoredEntry> entries = TableFixtures.randomEntries(new Random(1), 3000);
		Key last = entries.lastKey();
		Key middle = entries.keySet().stream().skip(1500).findFirst().orElseThrow();
		try (SortedTable table = table(new KeyCache(1 << 20), entries, 1)) {
			assertThat(table.isInMemory(last, last.hash64())).as("not verified").isFalse();
			assertThat(table.get(last)).isEqualTo(entries.get(last));
			assertThat(table.isInMemory(last, last.hash64())).isTrue();
			assertThat(table.isInMemory(middle, middle.hash64())).as("another page").isFalse();
			assertThat(table.isInMemory(middle, last.hash64())).as("where it is said to be").isTrue();
		}
	}

	private SortedTable table(KeyCache cache, NavigableMap<Key, StoredEntry> entries, int number) throws IOException {
		TableFormat format = new MapDbTableFormat(PageVerification.FIRST_TOUCH, cache, BlockCache.NONE, this.lookups);
		Path file = this.directory.resolve(number + ".sst");
		TableFixtures.write(format, file, entries);
		return format.open(file);
	}

	/** With values of other sizes for each kind, so that they lie at other places. */
	private static NavigableMap<Key, StoredEntry> entries(int kind) {
		NavigableMap<Key, StoredEntry> entries = new TreeMap<>();
		for (int i = 0; i < ENTRIES; i++) {
			entries.put(Key.of("key-%06d".formatted(i)),
					TableFixtures.entry(TableFixtures.value((i + kind * 37) % 300)));
		}
		return entries;
	}

	/** Counts how keys were found. */
	private static final class Lookups implements TableListener {

		private final AtomicInteger fromCache = new AtomicInteger();

		private final AtomicInteger searched = new AtomicInteger();

		private void clear() {
			this.fromCache.set(0);
			this.searched.set(0);
		}

		@Override
		public void damaged(StorageCorruptedException damage) {
			throw damage;
		}

		@Override
		public void keyLocated(boolean cached) {
			(cached ? this.fromCache : this.searched).incrementAndGet();
		}

		@Override
		public void blockRead(boolean cached) {
		}

	}

}
