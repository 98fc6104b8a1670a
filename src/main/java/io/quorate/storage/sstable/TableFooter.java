package io.quorate.storage.sstable;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.storage.Compression;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.sstable.TableSummary.Counts;
import io.quorate.storage.sstable.TableSummary.Keys;
import io.quorate.storage.sstable.TableSummary.Times;

/**
 * The footer behind the pages of a table, big-endian:
 *
 * <pre>
 * body:    summary | page size 4 | pages 4 | CRC32C of each page 4... | index checksum 4
 *          | blocks of the Bloom filter 4 | its blocks 64...
 *          | compression 1 | bytes that it has saved 8
 * trailer: format version 4 | size of the body 4 | size of all pages 8 | size of the file 8
 *          | CRC32C of body and trailer up to here 4 | magic 8
 * </pre>
 *
 * Only the trailer is the same in all versions of the format.
 *
 * @param summary summary of the table's contents
 * @param pages the checksums of its pages
 * @param indexChecksum the {@linkplain PageIndex#checksum checksum} of the index that
 * MapDB keeps in memory of an open table
 * @param bloom filter of its keys
 * @param compression of its entries
 * @param savedBytes number of bytes by which its nodes would be larger without
 * compression
 */
record TableFooter(TableSummary summary, PageChecksums pages, int indexChecksum, BloomFilter bloom,
		Compression compression, long savedBytes) {

	/** The version of the format. */
	static final int VERSION = 1;

	static final int TRAILER_SIZE_BYTES = 2 * Integer.BYTES + 2 * Long.BYTES + Integer.BYTES + Long.BYTES;

	/** "quorates" in ASCII. */
	private static final long MAGIC = 0x71756f7261746573L;

	private static final int CHECKSUMMED_TRAILER_BYTES = TRAILER_SIZE_BYTES - Integer.BYTES - Long.BYTES;

	/** The bytes to write behind the pages, ready to be read from the buffer. */
	ByteBuffer toBytes() {
		int bodySize = bodySizeBytes();
		ByteBuffer bytes = ByteBuffer.allocate(Math.addExact(bodySize, TRAILER_SIZE_BYTES));
		SummaryCodec.write(this.summary, bytes);
		this.pages.write(bytes);
		bytes.putInt(this.indexChecksum);
		this.bloom.write(bytes);
		bytes.put(code(this.compression)).putLong(this.savedBytes);
		bytes.putInt(VERSION).putInt(bodySize);
		bytes.putLong(this.pages.sizeBytes()).putLong(this.pages.sizeBytes() + bytes.capacity());
		bytes.putInt(checksum(bytes, bytes.position())).putLong(MAGIC);
		return bytes.flip();
	}

	/** The serializer of nodes of entries with a compression. */
	static EntryNodeSerializer entries(Compression compression, BlockCache.OfTable cache) {
		BlockCodec codec = BlockCodec.of(compression);
		return (codec != null) ? new PackedEntryNodeSerializer(codec, cache) : new EntryNodeSerializer();
	}

	/** The serializer of this table's nodes of entries. */
	EntryNodeSerializer entries(BlockCache.OfTable cache) {
		return entries(this.compression, cache);
	}

	/**
	 * Reads and verifies the footer of a whole file.
	 * @param arena the arena of the Bloom filter
	 */
	static TableFooter read(FileChannel channel, Path file, Arena arena) throws IOException {
		ByteBuffer whole = readVerified(channel, file);
		int bodySize = whole.limit() - TRAILER_SIZE_BYTES;
		ByteBuffer bytes = whole.limit(bodySize);
		try {
			TableSummary summary = SummaryCodec.read(bytes, channel.size());
			PageChecksums pages = PageChecksums.read(bytes);
			int indexChecksum = bytes.getInt();
			BloomFilter bloom = BloomFilter.read(bytes, arena);
			Compression compression = compression(bytes.get(), file);
			return new TableFooter(summary, pages, indexChecksum, bloom, compression, bytes.getLong());
		}
		catch (StorageStartException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw new StorageCorruptedException(file, channel.size() - TRAILER_SIZE_BYTES, "the footer makes no sense",
					ex);
		}
	}

	/** Compares the footer of a whole file with its checksum. */
	static void verify(FileChannel channel, Path file) throws IOException {
		readVerified(channel, file);
	}

	private int bodySizeBytes() {
		return Math.toIntExact((long) SummaryCodec.size(this.summary) + this.pages.encodedSizeBytes() + Integer.BYTES
				+ this.bloom.encodedSizeBytes() + Byte.BYTES + Long.BYTES);
	}

	private static byte code(Compression compression) {
		return switch (compression) {
			case NONE -> 0;
			case LZ4 -> 1;
			case ZSTD -> 2;
		};
	}

	private static Compression compression(int code, Path file) {
		return switch (code) {
			case 0 -> Compression.NONE;
			case 1 -> Compression.LZ4;
			case 2 -> Compression.ZSTD;
			default -> throw new StorageStartException(
					"%s has compression %d, which this program does not know: start the program that wrote it"
						.formatted(file, code),
					null);
		};
	}

	private static ByteBuffer readVerified(FileChannel channel, Path file) throws IOException {
		long fileSize = channel.size();
		long trailerAt = fileSize - TRAILER_SIZE_BYTES;
		if (trailerAt < 0) {
			throw new StorageCorruptedException(file, 0, "%d bytes are less than a footer".formatted(fileSize), null);
		}
		ByteBuffer trailer = Blocks.read(channel, file, trailerAt, TRAILER_SIZE_BYTES);
		int bodySize = trailer.getInt(4);
		long pagesSize = trailer.getLong(8);
		if (trailer.getLong(TRAILER_SIZE_BYTES - Long.BYTES) != MAGIC || trailer.getLong(16) != fileSize || bodySize < 0
				|| pagesSize != trailerAt - bodySize || pagesSize < 0) {
			throw new StorageCorruptedException(file, trailerAt,
					"no trailer of a table at the end of its %d bytes".formatted(fileSize), null);
		}
		ByteBuffer footer = Blocks.read(channel, file, pagesSize, Math.addExact(bodySize, TRAILER_SIZE_BYTES));
		int written = footer.getInt(bodySize + CHECKSUMMED_TRAILER_BYTES);
		int computed = checksum(footer, bodySize + CHECKSUMMED_TRAILER_BYTES);
		if (written != computed) {
			throw new StorageCorruptedException(file, pagesSize,
					"the footer has checksum %08x, %08x was written".formatted(computed, written), null);
		}
		requireVersion(footer.getInt(bodySize), file);
		return footer;
	}

	private static void requireVersion(int version, Path file) {
		if (version != VERSION) {
			throw StorageStartException.otherFormat(file, version, VERSION);
		}
	}

	private static int checksum(ByteBuffer bytes, int size) {
		CRC32C crc = new CRC32C();
		crc.update(bytes.slice(0, size));
		return (int) crc.getValue();
	}

	/**
	 * The bytes of a summary in a footer, big-endian, without the size of the file:
	 *
	 * <pre>
	 * entries 8 | tombstones 8 | expiring 8 | earliest expiry 8 | highest sequence 8
	 * | oldest 12 | newest 12 | size 2, smallest | size 2, largest
	 * | number of value files 4 | (value file 8, bytes 8)...
	 * </pre>
	 */
	private static final class SummaryCodec {

		private static final int FIXED_SIZE = 5 * Long.BYTES + 2 * Timestamp.SIZE_BYTES + 2 * Short.BYTES
				+ Integer.BYTES;

		private SummaryCodec() {
		}

		static int size(TableSummary summary) {
			return FIXED_SIZE + summary.keys().smallest().size() + summary.keys().largest().size()
					+ summary.valueBytes().size() * 2 * Long.BYTES;
		}

		static void write(TableSummary summary, ByteBuffer to) {
			to.putLong(summary.counts().entries())
				.putLong(summary.counts().tombstones())
				.putLong(summary.counts().expiring());
			to.putLong(summary.times().earliestExpiryMillis()).putLong(summary.highestSequence());
			writeTimestamp(summary.times().oldest(), to);
			writeTimestamp(summary.times().newest(), to);
			writeKey(summary.keys().smallest(), to);
			writeKey(summary.keys().largest(), to);
			to.putInt(summary.valueBytes().size());
			new TreeMap<>(summary.valueBytes()).forEach((file, bytes) -> to.putLong(file).putLong(bytes));
		}

		static TableSummary read(ByteBuffer from, long sizeBytes) {
			Counts counts = new Counts(from.getLong(), from.getLong(), from.getLong());
			long earliestExpiryMillis = from.getLong();
			long highestSequence = from.getLong();
			Timestamp oldest = readTimestamp(from);
			Timestamp newest = readTimestamp(from);
			Keys keys = new Keys(readKey(from), readKey(from));
			int files = from.getInt();
			Map<Long, Long> valueBytes = new HashMap<>();
			for (int i = 0; i < files; i++) {
				valueBytes.put(from.getLong(), from.getLong());
			}
			return new TableSummary(counts, keys, new Times(oldest, newest, earliestExpiryMillis), highestSequence,
					sizeBytes, valueBytes);
		}

		private static void writeTimestamp(Timestamp timestamp, ByteBuffer to) {
			to.putLong(timestamp.hybrid()).putInt(timestamp.node());
		}

		private static Timestamp readTimestamp(ByteBuffer from) {
			return new Timestamp(from.getLong(), from.getInt());
		}

		private static void writeKey(Key key, ByteBuffer to) {
			to.putShort((short) key.size()).put(key.array());
		}

		private static Key readKey(ByteBuffer from) {
			byte[] bytes = new byte[Short.toUnsignedInt(from.getShort())];
			from.get(bytes);
			return Key.wrap(bytes);
		}

	}

}
