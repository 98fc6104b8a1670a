package io.quorate.storage.sstable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.quorate.entry.Key;
import io.quorate.storage.Compression;
import io.quorate.storage.PageVerification;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.record.StoredEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class BlockCacheTests {

	private static final int MAX_BYTES = 100_000;

	private static final int ENTRIES = 5000;

	private static final int FEW = Lz4Codec.INSTANCE.unpackedForOneKept();

	@TempDir
	private Path directory;

	private final Reads reads = new Reads();

	private final NavigableMap<Key, StoredEntry> entries = new TreeMap<>();

	@BeforeEach
	void fill() {
		for (int i = 0; i < ENTRIES; i++) {
			this.entries.put(Key.of("key-%06d".formatted(i)), TableFixtures.entry(TableFixtures.value(i % 300)));
		}
	}

	@Test
	void aBlockThatIsReadRepeatedlyIsDecompressedAFewTimes() throws IOException {
		BlockCache cache = new BlockCache(MAX_BYTES);
		try (SortedTable table = table(cache, 1)) {
			for (int i = 0; i < 4 * FEW; i++) {
				assertThat(table.get(Key.of("key-002000"))).isEqualTo(this.entries.get(Key.of("key-002000")));
			}
			assertThat(cache.blocks()).isEqualTo(1);
			assertThat(cache.sizeBytes()).isBetween(1000L, 4000L);
		}
		assertThat(this.reads.unpacked).hasValueBetween(1, FEW);
		assertThat(this.reads.fromCache).hasValue(4 * FEW - this.reads.unpacked.get());
	}

	@Test
	void neverTakesMoreThanItMay() throws IOException {
		BlockCache cache = new BlockCache(MAX_BYTES);
		try (SortedTable table = table(cache, 1)) {
			for (int round = 0; round < 10; round++) {
				for (Key key : this.entries.keySet()) {
					assertThat(table.get(key)).isEqualTo(this.entries.get(key));
					assertThat(cache.sizeBytes()).isLessThanOrEqualTo(MAX_BYTES);
				}
			}
			assertThat(cache.sizeBytes()).as("and uses it").isGreaterThan(MAX_BYTES / 2);
			assertThat(this.reads.unpacked.get()).as("more than are kept").isGreaterThan(FEW * MAX_BYTES / 1000);
		}
	}

	@Test
	void nothingOfAClosedTableStays() throws IOException {
		BlockCache cache = new BlockCache(10_000_000);
		try (SortedTable other = table(cache, 1)) {
			for (int i = 2; i < 10; i++) {
				try (SortedTable table = table(cache, i)) {
					this.entries.keySet().forEach(table::get);
					assertThat(cache.blocks()).isPositive();
				}
				assertThat(cache.blocks()).isZero();
				assertThat(cache.sizeBytes()).isZero();
			}
			for (int i = 0; i < FEW; i++) {
				other.get(this.entries.firstKey());
			}
			table(cache, 10).close();
			assertThat(cache.blocks()).as("of the other table").isEqualTo(1);
		}
	}

	@Test
	void tablesWithTheSameOffsetsAreKeptApart() throws IOException {
		BlockCache cache = new BlockCache(10_000_000);
		List<SortedTable> tables = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			this.entries.put(Key.of("key-000007"), TableFixtures.entry(TableFixtures.value(100 + i)));
			tables.add(table(cache, i));
		}
		for (int round = 0; round < 10 * FEW; round++) {
			for (int i = 0; i < 3; i++) {
				assertThat(tables.get(i).get(Key.of("key-000007")))
					.isEqualTo(TableFixtures.entry(TableFixtures.value(100 + i)));
			}
		}
		tables.forEach(SortedTable::close);
	}

	@Test
	void scansGoPast() throws IOException {
		BlockCache cache = new BlockCache(10_000_000);
		try (SortedTable table = table(cache, 1)) {
			TableCursor cursor = table.cursor(null);
			int found = 0;
			while (cursor.next() != null) {
				found++;
			}
			assertThat(found).isEqualTo(ENTRIES);
			assertThat(cache.blocks()).isZero();
		}
	}

	@Test
	void aCacheOfNothingKeepsNothing() throws IOException {
		BlockCache cache = new BlockCache(0);
		try (SortedTable table = table(cache, 1)) {
			this.entries.forEach((key, entry) -> assertThat(table.get(key)).isEqualTo(entry));
		}
		assertThat(cache.blocks()).isZero();
		assertThat(cache.sizeBytes()).isZero();
		assertThat(this.reads.fromCache).hasValue(0);
		assertThat(this.reads.unpacked).hasValue(ENTRIES);
	}

	private SortedTable table(BlockCache cache, int number) throws IOException {
		TableFormat format = new MapDbTableFormat(PageVerification.FIRST_TOUCH, KeyCache.NONE, cache, this.reads);
		Path file = this.directory.resolve(number + ".sst");
		TableFixtures.write(format, file, this.entries, Compression.LZ4);
		return format.open(file);
	}

	/** Counts the blocks that were asked for. */
	private static final class Reads implements TableListener {

		private final AtomicInteger fromCache = new AtomicInteger();

		private final AtomicInteger unpacked = new AtomicInteger();

		@Override
		public void damaged(StorageCorruptedException damage) {
			throw damage;
		}

		@Override
		public void keyLocated(boolean cached) {
			assertThat(cached).isFalse();
		}

		@Override
		public void blockRead(boolean cached) {
			(cached ? this.fromCache : this.unpacked).incrementAndGet();
		}

	}

}
