package io.quorate.storage.sstable;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.quorate.clock.Timestamp;
import io.quorate.entry.ContentType;
import io.quorate.entry.Key;
import io.quorate.entry.Lineage;
import io.quorate.entry.Versioned;
import io.quorate.storage.Compression;
import io.quorate.storage.PageVerification;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry.Deleted;
import io.quorate.storage.record.StoredEntry.Extras;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.record.StoredEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@ParameterizedClass
@EnumSource(Compression.class)
class MapDbTableFormatTests {

	@Parameter
	private Compression compression = Compression.NONE;

	private final TableFormat format = new MapDbTableFormat(PageVerification.EVERY_READ, new KeyCache(10_000),
			new BlockCache(1 << 20), TableListener.NONE);

	@TempDir
	private Path directory;

	private Path file;

	@BeforeEach
	void nameFile() {
		this.file = this.directory.resolve("000001.sst");
	}

	@Test
	void everyKeyOfTheEdgesComesBackInOrder() throws IOException {
		byte[] longest = new byte[Key.MAX_SIZE_BYTES];
		byte[] last = longest.clone();
		Arrays.fill(last, (byte) 0xff);
		NavigableMap<Key, StoredEntry> entries = new TreeMap<>();
		List<Key> keys = List.of(Key.wrap(longest), Key.wrap(last), Key.wrap(new byte[] { 0 }),
				Key.wrap(new byte[] { 0, 0 }), Key.wrap(new byte[] { 0x7f }), Key.wrap(new byte[] { (byte) 0x80 }),
				Key.wrap(new byte[] { (byte) 0xff }), Key.of("a"), Key.of("ab"), Key.of("aba"), Key.of("12345678"),
				Key.of("123456780"));
		for (int i = 0; i < keys.size(); i++) {
			entries.put(keys.get(i), TableFixtures.entry(TableFixtures.value(i)));
		}

		TableFixtures.write(this.format, this.file, entries, this.compression);

		try (SortedTable table = this.format.open(this.file)) {
			assertHolds(table, entries);
			assertThat(table.get(Key.wrap(new byte[] { 0, 1 }))).isNull();
			assertThat(table.get(Key.of("abb"))).isNull();
		}
	}

	@Test
	void valuesOfAnySizeUpToTheLimitComeBackUnderTheLongestKeys() throws IOException {
		NavigableMap<Key, StoredEntry> entries = new TreeMap<>();
		for (int size = 0; size <= MapDbTableBuilder.MAX_INLINE_VALUE_SIZE_BYTES; size += 128) {
			byte[] key = new byte[Key.MAX_SIZE_BYTES];
			key[0] = (byte) size;
			key[Key.MAX_SIZE_BYTES - 1] = (byte) (size >> 8);
			entries.put(Key.wrap(key),
					new StoredEntry(size, Timestamp.ofMillis(size), size, 255, TableFixtures.value(size)));
		}

		TableFixtures.write(this.format, this.file, entries, this.compression);

		try (SortedTable table = this.format.open(this.file)) {
			assertHolds(table, entries);
		}
	}

	@Test
	void smallestPagesWithLargestNodesTakeTheLargestEntries() throws IOException {
		TableFormat small = new MapDbTableFormat(32 * 1024, 16 * 1024, PageVerification.FIRST_TOUCH);
		NavigableMap<Key, StoredEntry> entries = new TreeMap<>();
		for (int i = 0; i < 20; i++) {
			byte[] key = new byte[Key.MAX_SIZE_BYTES];
			key[0] = (byte) i;
			entries.put(Key.wrap(key),
					new StoredEntry(1, Timestamp.ZERO, 5, 3,
							TableFixtures.value(MapDbTableBuilder.MAX_INLINE_VALUE_SIZE_BYTES),
							Extras.of(ContentType.of("a".repeat(ContentType.MAX_SIZE_BYTES)),
									new Lineage(Timestamp.MAX, Timestamp.MAX))));
		}

		TableFixtures.write(small, this.file, entries, this.compression);

		try (SortedTable table = this.format.open(this.file)) {
			assertHolds(table, entries);
		}
	}

	@Test
	void summaryTellsWhatTheTableHolds() throws IOException {
		NavigableMap<Key, StoredEntry> entries = new TreeMap<>();
		entries.put(Key.of("a"), new StoredEntry(7, new Timestamp(500, 2), 90, 3, new Reference(4, 0, 100_000, 1)));
		entries.put(Key.of("b"), new StoredEntry(9, new Timestamp(-1, 0), Versioned.NEVER, 3, Deleted.INSTANCE));
		entries.put(Key.of("c"), new StoredEntry(8, new Timestamp(500, 1), 80, 3, TableFixtures.value(3)));
		entries.put(Key.of("d"),
				new StoredEntry(1, new Timestamp(600, 0), Versioned.NEVER, 3, new Reference(4, 1, 50_000, 1)));
		entries.put(Key.of("e"),
				new StoredEntry(1, new Timestamp(600, 0), Versioned.NEVER, 3, new Reference(5, 1, 20_000, 1)));

		TableSummary summary = TableFixtures.write(this.format, this.file, entries, this.compression);

		assertThat(summary).isEqualTo(
				new TableSummary(new TableSummary.Counts(5, 1, 2), new TableSummary.Keys(Key.of("a"), Key.of("e")),
						new TableSummary.Times(new Timestamp(500, 1), new Timestamp(-1, 0), 80), 9,
						Files.size(this.file), Map.of(4L, 150_000L, 5L, 20_000L)));
		try (SortedTable table = this.format.open(this.file)) {
			assertThat(table.summary()).isEqualTo(summary);
			assertHolds(table, entries);
			assertThat(table.verify()).isEqualTo(summary.sizeBytes());
		}
	}

	@Test
	void builderRefusesWhatDoesNotFitAndGoesOn() throws IOException {
		try (TableBuilder builder = this.format.create(this.file, 10, this.compression)) {
			builder.add(Key.of("b"), TableFixtures.entry(TableFixtures.value(1)));
			assertThatIllegalArgumentException()
				.isThrownBy(() -> builder.add(Key.of("b"), TableFixtures.entry(Deleted.INSTANCE)));
			assertThatIllegalArgumentException()
				.isThrownBy(() -> builder.add(Key.of("a"), TableFixtures.entry(Deleted.INSTANCE)));
			assertThatIllegalArgumentException().isThrownBy(() -> builder.add(Key.of("c"),
					TableFixtures.entry(TableFixtures.value(MapDbTableBuilder.MAX_INLINE_VALUE_SIZE_BYTES + 1000))));
			builder.add(Key.of("d"), TableFixtures.entry(Deleted.INSTANCE));
			assertThat(builder.entries()).isEqualTo(2);
			builder.finish();
		}
		try (SortedTable table = this.format.open(this.file)) {
			assertThat(keys(table)).containsExactly(Key.of("b"), Key.of("d"));
		}
	}

	@Test
	void builderKnowsAboutHowLargeTheFileWillBe() throws IOException {
		try (TableBuilder builder = this.format.create(this.file, 0, this.compression)) {
			for (int i = 0; i < 20_000; i++) {
				builder.add(Key.of("key-%08d".formatted(i)), TableFixtures.entry(TableFixtures.value(i % 300)));
			}
			long expected = builder.sizeBytes();
			builder.finish();
			long lastPageBytes = 64 * 1024;
			assertThat(Files.size(this.file)).isBetween((long) (expected * 0.95),
					(long) (expected * 1.02) + lastPageBytes);
		}
	}

	@Test
	void aTableHasAtLeastOneEntry() throws IOException {
		try (TableBuilder builder = this.format.create(this.file, 0, this.compression)) {
			assertThatIllegalStateException().isThrownBy(builder::finish);
		}
		assertThat(this.directory).isEmptyDirectory();
	}

	@Test
	void nothingStandsAtTheFileBeforeTheTableIsFinished() throws IOException {
		Path unfinished = this.directory.resolve("000001.sst.tmp");
		try (TableBuilder builder = this.format.create(this.file, 1, this.compression)) {
			builder.add(Key.of("a"), TableFixtures.entry(Deleted.INSTANCE));
			assertThat(this.file).doesNotExist();
			assertThat(unfinished).exists();
			builder.finish();
			assertThat(this.file).exists();
			assertThat(unfinished).doesNotExist();
			assertThatIllegalStateException()
				.isThrownBy(() -> builder.add(Key.of("b"), TableFixtures.entry(Deleted.INSTANCE)));
		}
		assertThat(this.file).exists();
	}

	@Test
	void aBuilderClosedWithoutFinishLeavesNoFile() throws IOException {
		TableBuilder builder = this.format.create(this.file, 1, this.compression);
		builder.add(Key.of("a"), TableFixtures.entry(Deleted.INSTANCE));
		builder.close();
		builder.close();
		assertThat(this.directory).isEmptyDirectory();
	}

	@Test
	void aBuilderThatFailedStaysFailedAndLeavesNoFile() throws IOException {
		try (TableBuilder builder = this.format.create(this.file, 1, this.compression)) {
			builder.add(Key.of("a"), TableFixtures.entry(Deleted.INSTANCE));
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(ClosedByInterruptException.class).isThrownBy(builder::finish);
			assertThat(Thread.interrupted()).isTrue();
			assertThatIllegalStateException().isThrownBy(builder::finish);
		}
		assertThat(this.directory).isEmptyDirectory();
	}

	@Test
	void anUnfinishedTableIsOverwrittenButAFinishedOneNever() throws IOException {
		Files.writeString(this.directory.resolve("000001.sst.tmp"), "left behind by a crash".repeat(10_000));
		NavigableMap<Key, StoredEntry> entries = new TreeMap<>(
				Map.of(Key.of("a"), TableFixtures.entry(Deleted.INSTANCE)));
		TableFixtures.write(this.format, this.file, entries, this.compression);
		try (SortedTable table = this.format.open(this.file)) {
			assertHolds(table, entries);
		}
		assertThatExceptionOfType(FileAlreadyExistsException.class)
			.isThrownBy(() -> this.format.create(this.file, 1, this.compression));
	}

	@Test
	void bloomFilterAndBoundsKeepAbsentKeysAway() throws IOException {
		NavigableMap<Key, StoredEntry> entries = new TreeMap<>();
		for (int i = 0; i < 10_000; i++) {
			entries.put(Key.of("key-%08d".formatted(i)), TableFixtures.entry(Deleted.INSTANCE));
		}
		TableFixtures.write(this.format, this.file, entries, this.compression);
		try (SortedTable table = this.format.open(this.file)) {
			assertThat(entries.keySet()).allMatch((key) -> table.mayContain(key, key.hash64()));
			assertThat(Stream.iterate(0, (i) -> i + 1)
				.limit(10_000)
				.map((i) -> Key.of("key-%08d-".formatted(i)))
				.filter((key) -> table.mayContain(key, key.hash64()))).hasSizeLessThan(200);
			Key below = Key.of("kex");
			assertThat(table.mayContain(below, entries.firstKey().hash64())).isFalse();
		}
	}

	@Test
	void nothingOfAClosedTableStaysMapped() throws IOException {
		TableFixtures.write(this.format, this.file,
				new TreeMap<>(Map.of(Key.of("a"), TableFixtures.entry(Deleted.INSTANCE))), this.compression);
		SortedTable table = this.format.open(this.file);
		TableCursor cursor = table.cursor(null);
		assertThat(table.get(Key.of("a"))).isNotNull();
		assertThat(mappings()).anyMatch((line) -> line.endsWith(this.file.toString()));

		table.close();
		table.close();

		assertThat(mappings()).noneMatch((line) -> line.contains(this.file.toString()));
		assertThatIllegalStateException().isThrownBy(() -> table.get(Key.of("a")));
		assertThatIllegalStateException().isThrownBy(cursor::next);
		assertThatIllegalStateException().isThrownBy(() -> table.mayContain(Key.of("a"), 1));
	}

	@Test
	void anOpenTableIsReadOnAfterItsFileIsDeleted() throws IOException {
		NavigableMap<Key, StoredEntry> entries = new TreeMap<>(
				Map.of(Key.of("a"), TableFixtures.entry(TableFixtures.value(5))));
		TableFixtures.write(this.format, this.file, entries, this.compression);
		try (SortedTable table = this.format.open(this.file)) {
			Files.delete(this.file);
			assertHolds(table, entries);
		}
	}

	@Test
	void aFileThatIsNotThereIsNotADamagedOne() {
		assertThatExceptionOfType(NoSuchFileException.class).isThrownBy(() -> this.format.open(this.file));
	}

	@Test
	void sizesThatCannotWorkAreRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new MapDbTableFormat(48 * 1024, 3000, PageVerification.FIRST_TOUCH));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new MapDbTableFormat(16 * 1024, 3000, PageVerification.FIRST_TOUCH));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new MapDbTableFormat(64 * 1024, 20_000, PageVerification.FIRST_TOUCH));
	}

	private static void assertHolds(SortedTable table, NavigableMap<Key, StoredEntry> entries) {
		entries.forEach((key, entry) -> assertThat(table.get(key)).isEqualTo(entry));
		TableCursor cursor = table.cursor(null);
		entries.forEach((key, entry) -> assertThat(cursor.next()).isEqualTo(new KeyedEntry(key, entry)));
		assertThat(cursor.next()).isNull();
		assertThat(cursor.next()).isNull();
	}

	private static List<Key> keys(SortedTable table) {
		List<Key> keys = new ArrayList<>();
		TableCursor cursor = table.cursor(null);
		for (KeyedEntry entry = cursor.next(); entry != null; entry = cursor.next()) {
			keys.add(entry.key());
		}
		return keys;
	}

	private static List<String> mappings() throws IOException {
		return Files.readAllLines(Path.of("/proc/self/maps"));
	}

}
