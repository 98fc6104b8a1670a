package io.quorate.storage.sstable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.zip.CRC32C;

import io.quorate.entry.Key;
import io.quorate.storage.Compression;
import io.quorate.storage.PageVerification;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageStartException;
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
			.withMessageContaining("versions 1 to " + TableFooter.VERSION)
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
