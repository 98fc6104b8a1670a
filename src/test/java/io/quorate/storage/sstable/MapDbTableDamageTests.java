package io.quorate.storage.sstable;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.CRC32C;

import io.quorate.entry.Key;
import io.quorate.security.LoggedKey;
import io.quorate.storage.Compression;
import io.quorate.storage.PageVerification;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.file.ReadPace;
import io.quorate.storage.file.UncachedReader;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Whatever a disk does to a table, no read gives a wrong answer or misses one. */
@ParameterizedClass
@EnumSource(Compression.class)
class MapDbTableDamageTests {

	private static final int PAGE_SIZE_BYTES = 64 * 1024;

	private static final long SEED = 20_251_120;

	@Parameter
	private Compression compression = Compression.NONE;

	private final Random random = new Random(SEED);

	private final NavigableMap<Key, StoredEntry> entries = TableFixtures.randomEntries(this.random, 1500);

	@TempDir
	private Path directory;

	private Path file;

	private TableSummary summary;

	@BeforeEach
	void writeTable() throws IOException {
		this.file = this.directory.resolve("000001.sst");
		this.summary = TableFixtures.write(format(PageVerification.FIRST_TOUCH), this.file, this.entries,
				this.compression);
		assertThat(this.summary.sizeBytes()).as("several pages").isGreaterThan(10 * PAGE_SIZE_BYTES);
	}

	@ParameterizedTest
	@EnumSource
	void everyFlippedBitIsFoundAndNeverServed(PageVerification verification) throws IOException {
		TableFormat format = format(verification);
		for (int i = 0; i < 300; i++) {
			long bit = this.random.nextLong(this.summary.sizeBytes() * Byte.SIZE);
			TableFixtures.flip(this.file, bit);
			assertThat(damageShowsInReads(format)).as("seed %d, bit %d", SEED, bit).isTrue();
			TableFixtures.flip(this.file, bit);
		}
		assertThat(damageShowsInReads(format)).as("repaired").isFalse();
	}

	@Test
	void verifyFindsEveryFlippedBit() throws IOException {
		try (SortedTable table = format(PageVerification.FIRST_TOUCH).open(this.file)) {
			for (int i = 0; i < 300; i++) {
				long bit = this.random.nextLong(this.summary.sizeBytes() * Byte.SIZE);
				TableFixtures.flip(this.file, bit);
				assertThatExceptionOfType(StorageCorruptedException.class).as("seed %d, bit %d", SEED, bit)
					.isThrownBy(table::verify)
					.satisfies((ex) -> assertThat(ex.file()).isEqualTo(this.file))
					.satisfies((ex) -> assertThat(ex.offset()).isBetween(bit / Byte.SIZE - PAGE_SIZE_BYTES,
							this.summary.sizeBytes()));
				TableFixtures.flip(this.file, bit);
			}
			assertThat(table.verify()).isEqualTo(this.summary.sizeBytes());
		}
	}

	@Test
	void noByteOfHeaderOrFooterIsTrustedUnverified() throws IOException {
		TableFormat format = format(PageVerification.FIRST_TOUCH);
		long footer = this.summary.sizeBytes() / PAGE_SIZE_BYTES * PAGE_SIZE_BYTES;
		for (long at = 0; at < this.summary.sizeBytes(); at = (at == 255) ? footer : at + 1) {
			long bit = at * Byte.SIZE + this.random.nextInt(Byte.SIZE);
			TableFixtures.flip(this.file, bit);
			assertThatExceptionOfType(StorageCorruptedException.class).as("seed %d, bit %d", SEED, bit)
				.isThrownBy(() -> format.open(this.file).close());
			TableFixtures.flip(this.file, bit);
		}
	}

	@Test
	void everyTruncationIsFoundAtOpening() throws IOException {
		byte[] whole = Files.readAllBytes(this.file);
		for (int i = 0; i < 200; i++) {
			int size = switch (i) {
				case 0, 1 -> i;
				case 2, 3 -> whole.length - i + 1;
				default -> this.random.nextInt(whole.length);
			};
			Files.write(this.file, Arrays.copyOf(whole, size));
			assertThatExceptionOfType(StorageCorruptedException.class).as("seed %d, size %d", SEED, size)
				.isThrownBy(() -> format(PageVerification.FIRST_TOUCH).open(this.file).close());
		}
	}

	@Test
	void bytesBehindTheEndAreFoundAtOpening() throws IOException {
		Files.write(this.file, new byte[TableFooter.TRAILER_SIZE_BYTES], StandardOpenOption.APPEND);
		assertThatExceptionOfType(StorageCorruptedException.class)
			.isThrownBy(() -> format(PageVerification.FIRST_TOUCH).open(this.file).close())
			.withMessageContaining(this.file.toString());
	}

	@Test
	void aHalfWrittenHeaderIsFoundAtOpening() throws IOException {
		overwrite(16, ByteBuffer.allocate(48));
		assertThatExceptionOfType(StorageCorruptedException.class)
			.isThrownBy(() -> format(PageVerification.FIRST_TOUCH).open(this.file).close())
			.satisfies((ex) -> assertThat(ex.offset()).isZero());
	}

	@Test
	void pagesOfAnotherOrderAreFound() throws IOException {
		byte[] whole = Files.readAllBytes(this.file);
		overwrite(2L * PAGE_SIZE_BYTES, ByteBuffer.wrap(whole, 3 * PAGE_SIZE_BYTES, PAGE_SIZE_BYTES));
		overwrite(3L * PAGE_SIZE_BYTES, ByteBuffer.wrap(whole, 2 * PAGE_SIZE_BYTES, PAGE_SIZE_BYTES));
		assertThatExceptionOfType(StorageCorruptedException.class)
			.isThrownBy(() -> format(PageVerification.FIRST_TOUCH).open(this.file).close())
			.satisfies((ex) -> assertThat(ex.offset()).isEqualTo(2L * PAGE_SIZE_BYTES));
	}

	@Test
	void anUnknownVersionIsNoDamageAndIsNamed() throws IOException {
		int trailer = (int) this.summary.sizeBytes() - TableFooter.TRAILER_SIZE_BYTES;
		ByteBuffer whole = ByteBuffer.wrap(Files.readAllBytes(this.file));
		int body = trailer - whole.getInt(trailer + 4);
		whole.putInt(trailer, 7);
		CRC32C crc = new CRC32C();
		crc.update(whole.slice(body, trailer + 24 - body));
		whole.putInt(trailer + 24, (int) crc.getValue());
		Files.write(this.file, whole.array());
		assertThatExceptionOfType(StorageStartException.class)
			.isThrownBy(() -> format(PageVerification.FIRST_TOUCH).open(this.file).close())
			.withMessageContaining("version 7")
			.withMessageContaining("this program supports " + TableFooter.VERSION)
			.withMessageContaining(this.file.toString());
	}

	@Test
	void damageAfterOpeningIsFoundByEveryReadAndByVerify() throws IOException {
		Key key = this.entries.firstKey();
		try (SortedTable careful = format(PageVerification.EVERY_READ).open(this.file);
				SortedTable quick = format(PageVerification.FIRST_TOUCH).open(this.file)) {
			assertThat(careful.get(key)).isEqualTo(quick.get(key)).isNotNull();
			TableFixtures.flip(this.file, 8L * (PAGE_SIZE_BYTES - 1));
			assertThatExceptionOfType(StorageCorruptedException.class).isThrownBy(() -> careful.get(key))
				.satisfies((ex) -> assertThat(ex.offset()).isZero());
			assertThatExceptionOfType(StorageCorruptedException.class).isThrownBy(() -> careful.cursor(null).next());
			assertThatExceptionOfType(StorageCorruptedException.class).isThrownBy(quick::verify);
			assertThat(quick.get(key)).isNotNull();
		}
	}

	/** A program that wrote nonsense has given it a good checksum. */
	@Test
	void keysOutOfOrderAreDamageWhateverTheChecksumSays() throws IOException {
		NavigableMap<Key, StoredEntry> ordered = new TreeMap<>();
		for (int i = 0; i < 3000; i++) {
			ordered.put(Key.of("key%05d".formatted(i)), TableFixtures.entry(TableFixtures.value(i % 200)));
		}
		TableFormat format = format(PageVerification.FIRST_TOUCH);
		Path misordered = this.directory.resolve("000002.sst");
		TableFixtures.write(format, misordered, ordered, this.compression);
		long at = swap(misordered, "key01500", "key01501");
		seal(misordered);
		try (SortedTable table = format.open(misordered)) {
			assertThat(table.verify()).as("its checksums are right").isPositive();
			for (TableCursor cursor : List.of(table.cursor(null), table.cursor(Key.of("key01490")),
					table.wholeOnce(new UncachedReader(ReadPace.NONE), new PageCacheShare()))) {
				assertThatExceptionOfType(StorageCorruptedException.class).isThrownBy(() -> drain(cursor))
					.withMessageContaining("%s is out of order".formatted(LoggedKey.of(Key.of("key01500"))))
					.satisfies((ex) -> assertThat(ex.file()).isEqualTo(misordered))
					.satisfies((ex) -> assertThat(ex.offset()).isEqualTo(at / PAGE_SIZE_BYTES * PAGE_SIZE_BYTES));
			}
			for (TableCursor cursor : List.of(table.descending(null), table.descending(Key.of("key01510")))) {
				assertThatExceptionOfType(StorageCorruptedException.class).isThrownBy(() -> drain(cursor))
					.withMessageContaining("%s is out of order".formatted(LoggedKey.of(Key.of("key01501"))))
					.satisfies((ex) -> assertThat(ex.offset()).isEqualTo(at / PAGE_SIZE_BYTES * PAGE_SIZE_BYTES));
			}
			List<StorageCorruptedException> told = new ArrayList<>();
			TableCursor intact = table.intact(told::add);
			assertThat(drain(intact)).isSorted().contains(Key.of("key00000"), Key.of("key02999"));
			assertThat(told).hasSize(1);
		}
	}

	private static List<Key> drain(TableCursor cursor) {
		List<Key> keys = new ArrayList<>();
		for (KeyedEntry next = cursor.next(); next != null; next = cursor.next()) {
			keys.add(next.key());
		}
		return keys;
	}

	private long swap(Path table, String one, String other) throws IOException {
		byte[] whole = Files.readAllBytes(table);
		int at = new String(whole, StandardCharsets.ISO_8859_1).indexOf(one + other);
		assertThat(at).as("neighbours in one node").isPositive();
		try (FileChannel channel = FileChannel.open(table, StandardOpenOption.WRITE)) {
			Blocks.write(channel, at, ByteBuffer.wrap((other + one).getBytes(StandardCharsets.ISO_8859_1)));
		}
		return at;
	}

	/** Gives a table the checksums of the pages that it has. */
	private static void seal(Path table) throws IOException {
		try (FileChannel channel = FileChannel.open(table, StandardOpenOption.READ, StandardOpenOption.WRITE);
				Arena arena = Arena.ofConfined()) {
			TableFooter footer = TableFooter.read(channel, table, arena);
			int[] checksums = new int[footer.pages().pages()];
			for (int i = 0; i < checksums.length; i++) {
				CRC32C crc = new CRC32C();
				crc.update(Blocks.read(channel, table, (long) i * PAGE_SIZE_BYTES, PAGE_SIZE_BYTES));
				checksums[i] = (int) crc.getValue();
			}
			PageChecksums pages = new PageChecksums(PAGE_SIZE_BYTES, checksums);
			ByteBuffer sealed = new TableFooter(footer.summary(), pages, footer.indexChecksum(), footer.bloom(),
					footer.compression(), footer.savedBytes())
				.toBytes();
			Blocks.write(channel, pages.sizeBytes(), sealed);
		}
	}

	/** Damage that came after the first read, to those who pass it on. */
	@Test
	void aScanVerifiesPagesAgainThatWereReadBefore() throws IOException {
		try (SortedTable table = format(PageVerification.FIRST_TOUCH).open(this.file)) {
			this.entries.forEach((key, entry) -> assertThat(table.get(key)).isEqualTo(entry));
			long pages = this.summary.sizeBytes() / PAGE_SIZE_BYTES - 1;
			for (int i = 0; i < 100; i++) {
				long bit = this.random.nextLong(pages * PAGE_SIZE_BYTES * Byte.SIZE);
				TableFixtures.flip(this.file, bit);
				for (TableCursor cursor : List.of(table.cursor(null), table.descending(null),
						table.wholeOnce(new UncachedReader(ReadPace.NONE), new PageCacheShare()))) {
					assertThatExceptionOfType(StorageCorruptedException.class).as("seed %d, bit %d", SEED, bit)
						.isThrownBy(() -> drain(cursor))
						.satisfies((ex) -> assertThat(ex.offset())
							.isEqualTo(bit / Byte.SIZE / PAGE_SIZE_BYTES * PAGE_SIZE_BYTES));
				}
				TableFixtures.flip(this.file, bit);
			}
			assertThat(drain(table.cursor(null))).containsExactlyElementsOf(this.entries.keySet());
			assertThat(drain(table.wholeOnce(new UncachedReader(ReadPace.NONE), new PageCacheShare())))
				.containsExactlyElementsOf(this.entries.keySet());
		}
	}

	@Test
	void aDamagedPageDoesNotKeepTheOthersFromAnswering() throws IOException {
		TableFixtures.flip(this.file, 8L * (2 * PAGE_SIZE_BYTES - 1));
		try (SortedTable table = format(PageVerification.FIRST_TOUCH).open(this.file)) {
			assertThat(table.get(this.entries.firstKey())).isEqualTo(this.entries.firstEntry().getValue());
			assertThat(table.get(this.entries.lastKey())).isEqualTo(this.entries.lastEntry().getValue());
			assertThatExceptionOfType(StorageCorruptedException.class)
				.isThrownBy(() -> this.entries.keySet().forEach(table::get))
				.satisfies((ex) -> assertThat(ex.offset()).isEqualTo(PAGE_SIZE_BYTES));
		}
	}

	@ParameterizedTest
	@EnumSource
	void aPageThatCannotBeReadFailsTheReadAndNotTheProcess(PageVerification verification) throws IOException {
		try (SortedTable table = format(verification).open(this.file)) {
			TableCursor cursor = table.cursor(null);
			assertThat(cursor.next()).isNotNull();
			try (FileChannel channel = FileChannel.open(this.file, StandardOpenOption.WRITE)) {
				channel.truncate(PAGE_SIZE_BYTES);
			}
			assertThatExceptionOfType(StorageCorruptedException.class)
				.isThrownBy(() -> table.get(this.entries.lastKey()))
				.withCauseInstanceOf(InternalError.class)
				.satisfies((ex) -> assertThat(ex.offset()).isBetween((long) PAGE_SIZE_BYTES, this.summary.sizeBytes()));
			assertThatExceptionOfType(StorageCorruptedException.class).isThrownBy(() -> {
				while (cursor.next() != null) {
					assertThat(this.file).exists();
				}
			});
			assertThatExceptionOfType(StorageCorruptedException.class).isThrownBy(table::verify);
			assertThat(table.get(this.entries.firstKey())).isEqualTo(this.entries.firstEntry().getValue());
		}
	}

	private static TableFormat format(PageVerification verification) {
		return new MapDbTableFormat(verification, new KeyCache(10_000), new BlockCache(1 << 20), TableListener.NONE);
	}

	/** Reads everything in every way; fails on a wrong or a missing answer. */
	private boolean damageShowsInReads(TableFormat format) throws IOException {
		try (SortedTable table = format.open(this.file)) {
			boolean shown = false;
			for (Map.Entry<Key, StoredEntry> entry : this.entries.entrySet()) {
				try {
					assertThat(table.get(entry.getKey())).isEqualTo(entry.getValue());
				}
				catch (StorageCorruptedException ex) {
					shown = true;
				}
			}
			return scanShowsDamage(table) || shown;
		}
		catch (StorageCorruptedException ex) {
			return true;
		}
	}

	private boolean scanShowsDamage(SortedTable table) {
		Iterator<Map.Entry<Key, StoredEntry>> expected = this.entries.entrySet().iterator();
		TableCursor cursor = table.cursor(null);
		try {
			for (KeyedEntry found = cursor.next(); found != null; found = cursor.next()) {
				Map.Entry<Key, StoredEntry> next = expected.next();
				assertThat(found).isEqualTo(new KeyedEntry(next.getKey(), next.getValue()));
			}
			assertThat(expected).isExhausted();
			return false;
		}
		catch (StorageCorruptedException ex) {
			return true;
		}
	}

	private void overwrite(long offset, ByteBuffer bytes) throws IOException {
		try (FileChannel channel = FileChannel.open(this.file, StandardOpenOption.WRITE)) {
			Blocks.write(channel, offset, bytes);
		}
	}

}
