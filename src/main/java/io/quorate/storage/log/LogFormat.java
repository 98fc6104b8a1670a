package io.quorate.storage.log;

import java.nio.ByteBuffer;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.zip.CRC32C;

import io.quorate.entry.Key;
import io.quorate.storage.file.NumberedFiles;
import io.quorate.storage.record.EntryCodec;
import io.quorate.storage.record.StoredEntry;

/**
 * The bytes of a segment, big-endian:
 *
 * <pre>
 *   header:  magic 8 | segment number 8 | forced length of the segment before 8 | CRC32C of these 4 | reused 4
 *   batch:   magic 4 | payload length 4 | CRC32C 4 | records 4 | forced offset 8 | payload | zeros up to a multiple of 8
 *   record:  key length 2 | entry length 4 | key | entry (EntryCodec)
 * </pre>
 *
 * The magic of a segment ends with the version of the format, in ASCII; where it and its
 * CRC stand is the same in all versions. The CRC of a batch covers the segment number,
 * the fields behind it and the payload, so that a batch is valid in its own segment only.
 * The forced offset is how far the segment was known to be on the disk when the batch was
 * written. Behind the last batch there are zeros up to the end of the file, or, when it
 * is reused (1, else 0), what an earlier segment has left there; or nothing. The buffers'
 * own positions are left alone by what reads.
 */
public final class LogFormat {

	/** Size of what stands before the first batch. */
	public static final int SEGMENT_HEADER = 32;

	/** Size of what stands before the records of a batch. */
	public static final int BATCH_HEADER = 24;

	/** Where batches may begin: at multiples of it. */
	public static final int ALIGNMENT = 8;

	/** What a batch begins with. */
	public static final int BATCH_MAGIC = 0x51_52_42_31;

	private static final long SEGMENT_MAGIC = 0x51_52_54_57_41_4c_30_31L;

	/** What segments begin with whatever the version, in ASCII behind it. */
	private static final long SEGMENT_FAMILY = SEGMENT_MAGIC >>> Short.SIZE;

	/** The version of the format. */
	public static final int VERSION = 1;

	private static final int SEGMENT_HEADER_CRC_AT = 24;

	private static final int REUSED_AT = 28;

	private static final int RECORD_HEADER = Short.BYTES + Integer.BYTES;

	/** The segments' files. */
	public static final NumberedFiles FILES = new NumberedFiles(".log");

	private LogFormat() {
	}

	/** The next place where a batch may begin. */
	public static int align(int size) {
		return (size + ALIGNMENT - 1) & -ALIGNMENT;
	}

	/** Number of bytes of a record. */
	public static int recordSize(Key key, StoredEntry entry) {
		return RECORD_HEADER + key.size() + EntryCodec.size(entry);
	}

	/** Writes a record at the buffer's position. */
	public static void writeRecord(Key key, StoredEntry entry, ByteBuffer to) {
		to.putShort((short) key.size());
		to.putInt(EntryCodec.size(entry));
		to.put(key.array());
		EntryCodec.write(entry, to);
	}

	/** Writes what a segment begins with at the buffer's position. */
	public static void writeSegmentHeader(ByteBuffer to, long number, long previousForced, boolean reused) {
		int start = to.position();
		to.putLong(SEGMENT_MAGIC).putLong(number).putLong(previousForced);
		to.putInt(crc(to.slice(start, SEGMENT_HEADER_CRC_AT))).putInt(reused ? 1 : 0);
	}

	/** The forced length of the segment before, if the header is intact. */
	public static OptionalLong readSegmentHeader(ByteBuffer segment, long number) {
		return (isHeader(segment) && segment.getLong(8) == number) ? OptionalLong.of(segment.getLong(16))
				: OptionalLong.empty();
	}

	/**
	 * Whether what stands behind the batches of a segment may be another one's, of whose
	 * file this one was made.
	 */
	public static boolean isReused(ByteBuffer segment, long number) {
		return isHeader(segment) && (segment.getLong(8) != number || segment.getInt(REUSED_AT) != 0);
	}

	/**
	 * The version of a segment with an intact header of another version than this one.
	 */
	public static OptionalInt foreignVersion(ByteBuffer segment) {
		if (segment.limit() < SEGMENT_HEADER || segment.getLong(0) == SEGMENT_MAGIC
				|| segment.getLong(0) >>> Short.SIZE != SEGMENT_FAMILY
				|| segment.getInt(SEGMENT_HEADER_CRC_AT) != crc(segment.slice(0, SEGMENT_HEADER_CRC_AT))) {
			return OptionalInt.empty();
		}
		int tens = Character.digit(segment.get(Long.BYTES - 2), 10);
		int ones = Character.digit(segment.get(Long.BYTES - 1), 10);
		return OptionalInt.of(10 * tens + ones);
	}

	private static boolean isHeader(ByteBuffer segment) {
		return segment.limit() >= SEGMENT_HEADER && segment.getLong(0) == SEGMENT_MAGIC
				&& segment.getInt(SEGMENT_HEADER_CRC_AT) == crc(segment.slice(0, SEGMENT_HEADER_CRC_AT));
	}

	/** Completes a batch whose payload stands behind the room for its header. */
	public static void finishBatch(ByteBuffer buffer, int start, int records, long segment, long forcedOffset) {
		int length = buffer.position() - start - BATCH_HEADER;
		buffer.putInt(start, BATCH_MAGIC).putInt(start + 4, length).putInt(start + 12, records);
		buffer.putLong(start + 16, forcedOffset);
		buffer.putInt(start + 8, batchCrc(buffer, start, length, segment));
		while (buffer.position() % ALIGNMENT != 0) {
			buffer.put((byte) 0);
		}
	}

	/** Whether an intact batch of the segment stands at an offset. */
	public static boolean isBatch(ByteBuffer segment, int offset, long number) {
		if (offset > segment.limit() - BATCH_HEADER || segment.getInt(offset) != BATCH_MAGIC) {
			return false;
		}
		int length = segment.getInt(offset + 4);
		return length >= 0 && length <= segment.limit() - offset - BATCH_HEADER
				&& segment.getInt(offset + 8) == batchCrc(segment, offset, length, number);
	}

	/** Number of bytes from a batch to the next, by its header. */
	public static int batchSize(ByteBuffer segment, int offset) {
		return align(BATCH_HEADER + segment.getInt(offset + 4));
	}

	/** Number of records of an intact batch. */
	public static int batchRecords(ByteBuffer segment, int offset) {
		return segment.getInt(offset + 12);
	}

	/**
	 * How far the segment was known to be on the disk when an intact batch was written.
	 */
	public static long batchForcedOffset(ByteBuffer segment, int offset) {
		return segment.getLong(offset + 16);
	}

	/** Hands over the records of an intact batch in order. */
	public static void readBatch(ByteBuffer segment, int offset, RecordVisitor visitor) {
		int position = offset + BATCH_HEADER;
		for (int i = batchRecords(segment, offset); i > 0; i--) {
			int keySize = Short.toUnsignedInt(segment.getShort(position));
			int entrySize = segment.getInt(position + Short.BYTES);
			byte[] key = new byte[keySize];
			segment.get(position + RECORD_HEADER, key);
			visitor.record(Key.wrap(key), EntryCodec.read(segment, position + RECORD_HEADER + keySize, entrySize));
			position += RECORD_HEADER + keySize + entrySize;
		}
	}

	private static int batchCrc(ByteBuffer buffer, int start, int length, long segment) {
		CRC32C crc = new CRC32C();
		crc.update(ByteBuffer.allocate(Long.BYTES).putLong(0, segment));
		crc.update(buffer.slice(start + 4, 4));
		crc.update(buffer.slice(start + 12, BATCH_HEADER - 12 + length));
		return (int) crc.getValue();
	}

	private static int crc(ByteBuffer bytes) {
		CRC32C crc = new CRC32C();
		crc.update(bytes);
		return (int) crc.getValue();
	}

	/** Takes the records of a batch. */
	@FunctionalInterface
	public interface RecordVisitor {

		/** The next record. */
		void record(Key key, StoredEntry entry);

	}

}
