package io.quorate.storage.sstable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

import io.quorate.clock.Timestamp;
import io.quorate.entry.ContentType;
import io.quorate.entry.Key;
import io.quorate.entry.Lineage;
import io.quorate.entry.Versioned;
import io.quorate.golden.GoldenFiles;
import io.quorate.storage.Compression;
import io.quorate.storage.PageVerification;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry.Deleted;
import io.quorate.storage.record.StoredEntry.Extras;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.record.StoredEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tables of 150 entries; in {@code table-1-descended} they have lineages. */
class GoldenTableTests {

	private static final int ENTRIES = 150;

	private static final String DESCENDED = "table-1-descended.sst.gz";

	private static final NavigableMap<Key, StoredEntry> ALL = entries();

	private final TableFormat format = new MapDbTableFormat(PageVerification.EVERY_READ, new KeyCache(10_000),
			new BlockCache(1 << 20), TableListener.NONE);

	@TempDir
	Path directory;

	@ParameterizedTest
	@EnumSource
	void aTableOfEachCompressionIsRead(Compression compression) throws IOException {
		requireEntries("table-1-%s.sst.gz".formatted(compression.name().toLowerCase(Locale.ROOT)), ALL);
	}

	@Test
	void aTableOfDescendedEntriesIsRead() throws IOException {
		requireEntries(DESCENDED, descendedEntries());
	}

	/* The bytes of a compressed one are also those of the library that compresses. */
	@Test
	void aTableIsWritten() throws IOException {
		requireWritten(ALL, "table-1-none.sst.gz");
		requireWritten(descendedEntries(), DESCENDED);
	}

	private void requireWritten(NavigableMap<Key, StoredEntry> entries, String golden) throws IOException {
		Path file = this.directory.resolve(golden);
		TableFixtures.write(this.format, file, entries, Compression.NONE);
		assertThat(file).as(GoldenFiles.OTHER_BYTES).hasBinaryContent(GoldenFiles.bytes(golden));
	}

	private void requireEntries(String golden, NavigableMap<Key, StoredEntry> entries) throws IOException {
		Path file = GoldenFiles.copy(golden, this.directory, "000001.sst");
		try (SortedTable table = this.format.open(file)) {
			List<KeyedEntry> read = new ArrayList<>();
			TableCursor cursor = table.cursor(null);
			for (KeyedEntry next = cursor.next(); next != null; next = cursor.next()) {
				read.add(next);
				assertThat(table.get(next.key())).isEqualTo(next.entry());
			}
			assertThat(read).isEqualTo(
					entries.entrySet().stream().map((its) -> new KeyedEntry(its.getKey(), its.getValue())).toList());
			assertThat(table.summary()).isEqualTo(summary(entries, Files.size(file)));
			assertThat(table.verify()).isEqualTo(Files.size(file));
			assertThat(table.get(Key.of("key-9999"))).isNull();
		}
	}

	private static TableSummary summary(NavigableMap<Key, StoredEntry> entries, long size) {
		Map<Long, Long> references = new TreeMap<>();
		entries.values().forEach((entry) -> {
			if (entry.payload() instanceof Reference its) {
				references.merge(its.file(), (long) its.length(), Long::sum);
			}
		});
		long tombstones = entries.values().stream().filter(StoredEntry::isTombstone).count();
		List<StoredEntry> expiring = entries.values()
			.stream()
			.filter((entry) -> entry.expiryMillis() != Versioned.NEVER)
			.toList();
		return new TableSummary(new TableSummary.Counts(ENTRIES, tombstones, expiring.size()),
				new TableSummary.Keys(entries.firstKey(), entries.lastKey()),
				new TableSummary.Times(stamp(0), stamp(ENTRIES - 1),
						expiring.stream().mapToLong(StoredEntry::expiryMillis).min().orElseThrow()),
				ENTRIES - 1, size, references);
	}

	private static NavigableMap<Key, StoredEntry> entries() {
		NavigableMap<Key, StoredEntry> entries = new TreeMap<>();
		for (int i = 0; i < ENTRIES; i++) {
			StoredEntry entry = new StoredEntry(i, stamp(i), (i % 7 == 0) ? 5000 + i : Versioned.NEVER, 3,
					(i % 10 == 0) ? Deleted.INSTANCE : TableFixtures.value(i * 37 % 600));
			boolean refers = i % 10 == 3;
			StoredEntry whole = refers
					? entry.withPayload(new Reference(1 + i % 3, 16 + i, 20_000 + i, 0x1234_5678 + i)) : entry;
			boolean isTyped = i % 10 > 0 && i % 3 == 0;
			entries.put(Key.of("key-%04d".formatted(i)), isTyped ? typed(whole, "application/x-" + i % 4) : whole);
		}
		return entries;
	}

	private static NavigableMap<Key, StoredEntry> descendedEntries() {
		NavigableMap<Key, StoredEntry> entries = new TreeMap<>();
		ALL.forEach((key, entry) -> {
			int number = (int) entry.sequence();
			Lineage lineage = new Lineage((number % 2 == 0) ? entry.timestamp() : stamp(-number), switch (number % 3) {
				case 0 -> null;
				case 1 -> Timestamp.ZERO;
				default -> stamp(-2 * number);
			});
			entries.put(key, with(Extras.of(entry.contentType(), lineage), entry));
		});
		return entries;
	}

	private static StoredEntry typed(StoredEntry entry, String type) {
		return with(Extras.of(ContentType.of(type), null), entry);
	}

	private static StoredEntry with(Extras extras, StoredEntry entry) {
		return new StoredEntry(entry.sequence(), entry.timestamp(), entry.expiryMillis(), entry.from(), entry.payload(),
				extras);
	}

	private static Timestamp stamp(int number) {
		return Timestamp.ofMillis(1000 + number);
	}

}
