package io.quorate.storage.sstable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;

import io.quorate.entry.Key;
import io.quorate.storage.Compression;
import io.quorate.storage.PageVerification;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** A table does what a sorted map does, for random entries of many shapes. */
class MapDbTableModelTests {

	@TempDir
	private Path directory;

	@ParameterizedTest
	@CsvSource({ "1, NONE", "2, NONE", "3, NONE", "1, LZ4", "4, LZ4", "5, LZ4", "6, LZ4", "1, ZSTD", "7, ZSTD",
			"8, ZSTD" })
	void aTableAnswersAsASortedMap(long seed, Compression compression) throws IOException {
		Random random = new Random(seed);
		int number = (seed == 1) ? 1 : random.nextInt(1000, 6000);
		NavigableMap<Key, StoredEntry> model = TableFixtures.randomEntries(random, number);
		PageVerification verification = random.nextBoolean() ? PageVerification.FIRST_TOUCH
				: PageVerification.EVERY_READ;
		BlockCache cache = new BlockCache(random.nextBoolean() ? 0 : random.nextInt(1000, 10_000_000));
		TableFormat format = new MapDbTableFormat(1 << random.nextInt(15, 19), random.nextInt(256, 8192), verification,
				new KeyCache(random.nextInt(100_000)), cache, TableListener.NONE);
		Path file = this.directory.resolve("model.sst");
		TableFixtures.write(format, file, model, compression);

		try (SortedTable table = format.open(file)) {
			model.forEach((key, entry) -> assertThat(table.get(key)).as("seed %d", seed).isEqualTo(entry));
			for (int i = 0; i < 20_000; i++) {
				Key key = TableFixtures.randomKey(random);
				assertThat(table.get(key)).as("seed %d, step %d", seed, i).isEqualTo(model.get(key));
				assertThat(table.mayContain(key, key.hash64()) || !model.containsKey(key))
					.as("seed %d, step %d", seed, i)
					.isTrue();
			}
			for (int i = 0; i < 500; i++) {
				Key start = (i % 10 == 0) ? model.firstKey() : TableFixtures.randomKey(random);
				requireSame(table.cursor(start), model.tailMap(start, true), random.nextInt(200),
						"seed %d, scan %d".formatted(seed, i));
			}
			requireSame(table.cursor(null), model, Integer.MAX_VALUE, "seed %d, all".formatted(seed));
			for (int i = 0; i < 500; i++) {
				Key end = (i % 10 == 0) ? existing(model, random) : TableFixtures.randomKey(random);
				requireSame(table.descending(end), model.headMap(end, false).descendingMap(), random.nextInt(200),
						"seed %d, descending scan %d".formatted(seed, i));
			}
			requireSame(table.descending(null), model.descendingMap(), Integer.MAX_VALUE,
					"seed %d, all descending".formatted(seed));
			table.verify();
		}
	}

	/* Also the first keys of pages. */
	private static Key existing(NavigableMap<Key, StoredEntry> model, Random random) {
		Key key = model.floorKey(TableFixtures.randomKey(random));
		return (key != null) ? key : model.firstKey();
	}

	private static void requireSame(TableCursor cursor, Map<Key, StoredEntry> expected, int limit, String where) {
		Iterator<Map.Entry<Key, StoredEntry>> model = expected.entrySet().iterator();
		for (int i = 0; i < limit; i++) {
			KeyedEntry found = cursor.next();
			if (!model.hasNext()) {
				assertThat(found).as(where).isNull();
				return;
			}
			Map.Entry<Key, StoredEntry> next = model.next();
			assertThat(found).as(where).isEqualTo(new KeyedEntry(next.getKey(), next.getValue()));
		}
	}

}
