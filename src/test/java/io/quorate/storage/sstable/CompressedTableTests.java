package io.quorate.storage.sstable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.CRC32C;

import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.Compression;
import io.quorate.storage.PageVerification;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.record.StoredEntry.Inline;
import io.quorate.storage.record.StoredEntry;
import net.jpountz.lz4.LZ4Factory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.mapdb.DataInput2;
import org.mapdb.DataOutput2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class CompressedTableTests {

	private static final long SEED = 20_261_121;

	private final Random random = new Random(SEED);

	private final TableFormat format = new MapDbTableFormat(PageVerification.EVERY_READ, new KeyCache(10_000),
			new BlockCache(1 << 20), TableListener.NONE);

	@TempDir
	private Path directory;

	@Test
	void textTakesMuchLessAndZstdLessThanLz4() throws IOException {
		NavigableMap<Key, StoredEntry> entries = new TreeMap<>();
		for (int i = 0; i < 20_000; i++) {
			entries.put(key(i), value(text(i)));
		}
		Sizes sizes = sizes(entries);
		assertThat(sizes.of(Compression.LZ4)).isLessThan(sizes.of(Compression.NONE) * 7 / 10);
		assertThat(sizes.of(Compression.ZSTD)).isLessThan(sizes.of(Compression.LZ4) * 9 / 10);
	}

	/** The header of an entry compresses a little; values of some size hide it. */
	@Test
	void anIncompressibleBlockIsKeptAsItIs() throws IOException {
		NavigableMap<Key, StoredEntry> entries = new TreeMap<>();
		for (int i = 0; i < 3000; i++) {
			byte[] value = new byte[700];
			this.random.nextBytes(value);
			entries.put(key(i), value(value));
		}
		Sizes sizes = sizes(entries);
		assertThat(sizes.of(Compression.LZ4)).isBetween(sizes.of(Compression.NONE),
				sizes.of(Compression.NONE) * 101 / 100);
		BlockCache cache = new BlockCache(1 << 20);
		TableFormat cached = new MapDbTableFormat(PageVerification.FIRST_TOUCH, new KeyCache(10_000), cache,
				TableListener.NONE);
		try (SortedTable table = cached.open(file(Compression.LZ4))) {
			entries.forEach((key, entry) -> assertThat(table.get(key)).isEqualTo(entry));
		}
		assertThat(cache.blocks()).as("nothing to unpack").isZero();
	}

	@ParameterizedTest
	@EnumSource
	void aBlockOfOneEntryOfEachSizeComesBack(Compression compression) throws IOException {
		NavigableMap<Key, StoredEntry> entries = new TreeMap<>();
		for (int size : new int[] { 0, 1, 15, 3000, MapDbTableBuilder.MAX_INLINE_VALUE_SIZE_BYTES }) {
			entries.put(key(2 * size), value(new byte[size]));
			byte[] noise = new byte[size];
			this.random.nextBytes(noise);
			entries.put(key(2 * size + 1), value(noise));
		}
		TableFormat oneEach = new MapDbTableFormat(32 * 1024, 256, PageVerification.EVERY_READ);
		for (Map.Entry<Key, StoredEntry> one : entries.entrySet()) {
			Path file = this.directory.resolve(one.getKey() + ".sst");
			TableFixtures.write(oneEach, file, new TreeMap<>(Map.of(one.getKey(), one.getValue())), compression);
			try (SortedTable table = this.format.open(file)) {
				assertThat(table.get(one.getKey())).isEqualTo(one.getValue());
				assertThat(Objects.requireNonNull(table.cursor(null).next()).entry()).isEqualTo(one.getValue());
			}
		}
		sizes(entries);
	}

	@Test
	void aTableSaysHowLargeItWouldBeAsItIs() throws IOException {
		NavigableMap<Key, StoredEntry> entries = new TreeMap<>();
		for (int i = 0; i < 20_000; i++) {
			entries.put(key(i), value(text(i)));
		}
		Sizes sizes = sizes(entries);
		for (Compression compression : Compression.values()) {
			try (SortedTable table = this.format.open(file(compression))) {
				assertThat((double) table.uncompressedBytes()).isBetween(sizes.of(Compression.NONE) * 0.95,
						sizes.of(Compression.NONE) * 1.05);
			}
		}
	}

	@Test
	void anUnknownCompressionIsNoDamageAndIsNamed() throws IOException {
		Path file = file(Compression.LZ4);
		TableFixtures.write(this.format, file, new TreeMap<>(Map.of(key(1), value(new byte[1]))));
		ByteBuffer whole = ByteBuffer.wrap(Files.readAllBytes(file));
		int trailer = whole.limit() - TableFooter.TRAILER_SIZE_BYTES;
		whole.put(trailer - Long.BYTES - 1, (byte) 9);
		int body = trailer - whole.getInt(trailer + 4);
		CRC32C crc = new CRC32C();
		crc.update(whole.slice(body, trailer + 24 - body));
		whole.putInt(trailer + 24, (int) crc.getValue());
		Files.write(file, whole.array());
		assertThatExceptionOfType(StorageStartException.class).isThrownBy(() -> this.format.open(file).close())
			.withMessageContaining("compression 9")
			.withMessageContaining(file.toString());
	}

	/**
	 * Below the checksums: whatever stands where a block should, it is refused or read,
	 * with no more than 64 KiB, and the process lives.
	 */
	@ParameterizedTest
	@EnumSource(names = { "LZ4", "ZSTD" })
	void bytesThatAreNoBlockAreSurvived(Compression compression) throws IOException {
		int count = 20;
		Object[] node = new Object[count];
		for (int i = 0; i < count; i++) {
			node[i] = value(text(i));
		}
		EntryNodeSerializer serializer = TableFooter.entries(compression, BlockCache.NONE.open(TableListener.NONE));
		DataOutput2 out = new DataOutput2();
		serializer.valueArraySerialize(out, node);
		byte[] block = out.copyBytes();
		int refused = 0;
		for (int i = 0; i < 50_000; i++) {
			byte[] damaged = block.clone();
			for (int j = this.random.nextInt(1, 6); j > 0; j--) {
				damaged[this.random.nextInt((j == 1) ? 8 : damaged.length)] = (byte) this.random.nextInt();
			}
			ByteBuffer buffer = ByteBuffer.allocateDirect(damaged.length).put(damaged).flip();
			try {
				serializer.valueArrayDeserialize(new DataInput2.ByteBuffer(buffer, 0), count);
			}
			catch (RuntimeException ex) {
				refused++;
			}
		}
		assertThat(refused).as("seed %d", SEED).isGreaterThan(1000);
		assertThat(serializer.valueArrayDeserialize(new DataInput2.ByteBuffer(ByteBuffer.wrap(block), 0), count))
			.isEqualTo(node);
	}

	@Test
	void javaAndTheNativeLibraryReadEachOthersBlocks() {
		BlockCodec java = new Lz4Codec(LZ4Factory.safeInstance());
		BlockCodec other = Objects.requireNonNull(BlockCodec.of(Compression.LZ4));
		for (int i = 0; i < 200; i++) {
			byte[] block = text(this.random.nextInt(1000));
			requireSame(java, other, block);
			requireSame(other, java, block);
		}
	}

	private static void requireSame(BlockCodec writer, BlockCodec reader, byte[] block) {
		byte[] packed = new byte[writer.maxPackedSize(block.length)];
		int size = writer.pack(block, 0, block.length, packed);
		byte[] unpacked = new byte[block.length];
		reader.unpack(packed, size, unpacked, block.length);
		assertThat(unpacked).isEqualTo(block);
	}

	/** Writes a table of each kind, and reads it. */
	private Sizes sizes(NavigableMap<Key, StoredEntry> entries) throws IOException {
		Map<Compression, Long> sizes = new HashMap<>();
		for (Compression compression : Compression.values()) {
			TableFixtures.write(this.format, file(compression), entries, compression);
			sizes.put(compression, Files.size(file(compression)));
			try (SortedTable table = this.format.open(file(compression))) {
				entries.forEach((key, entry) -> assertThat(table.get(key)).isEqualTo(entry));
				table.verify();
			}
		}
		return new Sizes(sizes);
	}

	private Path file(Compression compression) {
		return this.directory.resolve(compression + ".sst");
	}

	private static Key key(int number) {
		return Key.of("key-%09d".formatted(number));
	}

	private static StoredEntry value(byte[] bytes) {
		return TableFixtures.entry(new Inline(Value.wrap(bytes)));
	}

	private static byte[] text(int number) {
		return "{\"id\":%d,\"name\":\"customer %d\",\"address\":{\"street\":\"Main Street %d\",\"zip\":\"%05d\"}}"
			.formatted(number, number * 31, number % 200, number * 7919 % 100_000)
			.getBytes(StandardCharsets.UTF_8);
	}

	/** The sizes of files. */
	private record Sizes(Map<Compression, Long> bytes) {

		long of(Compression compression) {
			return Objects.requireNonNull(this.bytes.get(compression));
		}

	}

}
