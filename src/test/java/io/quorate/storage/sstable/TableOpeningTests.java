package io.quorate.storage.sstable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;

import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.Compression;
import io.quorate.storage.PageCacheFixture;
import io.quorate.storage.PageVerification;
import io.quorate.storage.record.StoredEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/** Tests of the parts of a table that are in memory once it is opened. */
@EnabledOnOs(OS.LINUX)
class TableOpeningTests {

	private static final int PAGE_SIZE_BYTES = 64 * 1024;

	private static final int PAGES = 64;

	@TempDir
	private Path directory;

	@Test
	void onlyTheBeginningOfEachPageIsReadToOpenATable() throws Exception {
		Path file = this.directory.resolve("000001.sst");
		MapDbTableFormat format = new MapDbTableFormat(PageVerification.FIRST_TOUCH);
		TableFixtures.write(format, file, entries(), Compression.NONE);
		PageCacheFixture.evict(file);
		assumeThat(secondHalves(file)).as("where a file's pages can be evicted").isZero();
		try (SortedTable table = format.open(file)) {
			// The footer is read as files are, with some of what stands before it.
			assertThat(secondHalves(file)).isLessThan(0.25);
			assertThat(table.summary().counts().entries()).isPositive();
		}
	}

	private static double secondHalves(Path file) throws IOException {
		return PageCacheFixture.secondHalves(file, PAGE_SIZE_BYTES);
	}

	private static NavigableMap<Key, StoredEntry> entries() {
		Random random = new Random(1);
		NavigableMap<Key, StoredEntry> entries = new TreeMap<>();
		for (int i = 0; i < PAGES * 80; i++) {
			byte[] value = new byte[1000];
			random.nextBytes(value);
			entries.put(Key.of("key%06d".formatted(i)), TableFixtures.entry(new StoredEntry.Inline(Value.wrap(value))));
		}
		return entries;
	}

}
