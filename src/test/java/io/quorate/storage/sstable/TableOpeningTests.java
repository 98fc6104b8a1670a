package io.quorate.storage.sstable;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.Compression;
import io.quorate.storage.PageVerification;
import io.quorate.storage.record.StoredEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/** What of a table is in memory once it is opened. */
@EnabledOnOs(OS.LINUX)
class TableOpeningTests {

	private static final int PAGE_SIZE_BYTES = 64 * 1024;

	private static final int HALF = PAGE_SIZE_BYTES / 2;

	private static final int PAGES = 64;

	@TempDir
	private Path directory;

	@Test
	void onlyTheBeginningOfEachPageIsReadToOpenATable() throws Exception {
		Path file = this.directory.resolve("000001.sst");
		MapDbTableFormat format = new MapDbTableFormat(PageVerification.FIRST_TOUCH);
		TableFixtures.write(format, file, entries(), Compression.NONE);
		evict(file);
		assumeThat(secondHalvesInMemory(file)).as("where a file's pages can be evicted").isZero();
		try (SortedTable table = format.open(file)) {
			// The footer is read as files are, with some of what stands before it.
			assertThat(secondHalvesInMemory(file)).isLessThan(PAGES / 4);
			assertThat(table.summary().entries()).isPositive();
		}
	}

	private static void evict(Path file) throws Exception {
		Process evicting = new ProcessBuilder("dd", "if=/dev/null", "of=" + file, "oflag=nocache",
				"conv=notrunc,fdatasync", "count=0", "status=none")
			.inheritIO()
			.start();
		assertThat(evicting.waitFor(30, TimeUnit.SECONDS)).isTrue();
	}

	private static long secondHalvesInMemory(Path file) throws IOException {
		try (Arena arena = Arena.ofConfined(); FileChannel channel = FileChannel.open(file)) {
			MemorySegment mapping = channel.map(MapMode.READ_ONLY, 0, (long) PAGES * PAGE_SIZE_BYTES, arena);
			return IntStream.range(0, PAGES)
				.filter((page) -> Residency.isResident(mapping.asSlice((long) page * PAGE_SIZE_BYTES + HALF, HALF)))
				.count();
		}
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
