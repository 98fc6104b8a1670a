package io.quorate.storage.sstable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;

import io.quorate.entry.Key;
import io.quorate.storage.PageVerification;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.record.StoredEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
			assertThat(table.isInMemory(entries.firstKey(), 7)).as("that a page is, which was read").isTrue();
		}
	}

	@Test
	void whatItRemembersMayBeThere() throws IOException {
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
		KeyCache.OfTable places = new KeyCache(SET_BYTES).open(10, this.lookups);
		for (int i = 1; i <= SET_SLOTS + 1; i++) {
			places.keep(i, Place.of(i, 0, 0));
		}
		assertThat(places.find(1)).isEqualTo(Place.NONE);
		for (int i = 2; i <= SET_SLOTS + 1; i++) {
			assertThat(places.find(i)).isEqualTo(Place.of(i, 0, 0));
		}
	}

	@Test
	void takesNoMoreThanItMay() {
		KeyCache cache = new KeyCache(10_000);
		KeyCache.OfTable places = cache.open(1, this.lookups);
		LongStream.range(0, 100_000).forEach((hash) -> places.keep(hash, Place.of(0, 1, 2)));
		assertThat(LongStream.range(0, 100_000).filter((hash) -> places.find(hash) == Place.of(0, 1, 2)).count())
			.as("slots of 8 bytes, and tags that are alike by chance")
			.isBetween(1024L, 1024L + 50);
	}

	@Test
	void aCacheOfNothingRemembersNothing() {
		for (long bytes = 0; bytes < SET_BYTES; bytes++) {
			KeyCache.OfTable places = new KeyCache(bytes).open(10, this.lookups);
			places.keep(1, Place.of(1, 2, 3));
			assertThat(places.find(1)).isEqualTo(Place.NONE);
		}
	}

	@Test
	void noPageIsToldThatATableHasNot() {
		KeyCache cache = new KeyCache(SET_BYTES);
		cache.open(10, this.lookups).keep(5, Place.of(9, 0, 0));
		boolean[] told = new boolean[10];
		// So many that some have the tag of the first one.
		for (int i = 0; i < 1 << 20; i++) {
			long found = cache.open(10, this.lookups).find(5);
			if (found != Place.NONE) {
				told[Place.page(found)] = true;
			}
			assertThat(cache.open(9, this.lookups).find(5)).isIn(Place.NONE, Place.of(0, 0, 0));
		}
		assertThat(told[9]).isTrue();
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
		public void written(long contentBytes, long storedBytes) {
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
