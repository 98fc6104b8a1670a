package io.quorate.storage.log;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

import io.quorate.entry.Key;
import io.quorate.storage.record.EntryCodec;

/**
 * The batches of one segment: writes them, and tells them from all other bytes.
 *
 * <pre>
 * batch:   magic 4 | payload length 4 | CRC32C 4 | records 4 | fsynced offset 8 | payload | zeros up to a multiple of 8
 * record:  key length 2 | entry length 4 | key | entry (EntryCodec)
 * </pre>
 *
 * The magic is the upper half of the segment's salt, and the CRC covers the salt, the
 * segment number, the fields behind it and the payload. Values stand in a segment as
 * clients have sent them, and behind its last batch stand those of the older segment
 * whose file is reused. No client can know the salt, and without it no bytes can be made
 * that pass for a batch.
 * <p>
 * The fsynced offset is the length of the segment that was known to be on the disk when
 * the batch was written. Methods that read leave the buffers' own positions alone. Used
 * by one thread.
 */
public final class Batches {

	/** Size of the header of a batch. */
	public static final int HEADER = 24;

	/** Batches begin at multiples of this number. */
	public static final int ALIGNMENT = 8;

	private static final int LENGTH_AT = 4;

	private static final int CRC_AT = 8;

	private static final int RECORDS_AT = 12;

	private static final int FORCED_AT = 16;

	private final int magic;

	private final int maxBytes;

	/* The bytes that the CRC begins with, of which no file has all. */
	private final byte[] secret;

	private final CRC32C crc = new CRC32C();

	private Batches(int magic, byte[] secret, int maxBytes) {
		this.magic = magic;
		this.secret = secret;
		this.maxBytes = maxBytes;
	}

	/**
	 * The batches of a segment.
	 * @param maxBytes most bytes of a batch
	 */
	public static Batches of(SegmentHeader header, int maxBytes) {
		ByteBuffer secret = ByteBuffer.allocate(2 * Long.BYTES).putLong(header.salt()).putLong(header.number());
		return new Batches((int) (header.salt() >>> Integer.SIZE), secret.array(), maxBytes);
	}

	/** The next place where a batch may begin. */
	public static int align(int size) {
		return (size + ALIGNMENT - 1) & -ALIGNMENT;
	}

	/** Completes a batch whose payload stands behind the room for its header. */
	public void finish(ByteBuffer buffer, int start, int records, long forcedOffset) {
		int length = buffer.position() - start - HEADER;
		buffer.putInt(start, this.magic).putInt(start + LENGTH_AT, length).putInt(start + RECORDS_AT, records);
		buffer.putLong(start + FORCED_AT, forcedOffset);
		buffer.putInt(start + CRC_AT, crc(buffer, start, length));
		while (buffer.position() % ALIGNMENT != 0) {
			buffer.put((byte) 0);
		}
	}

	/** Whether bytes begin with the mark of a batch. */
	public boolean isMarked(ByteBuffer segment, int index) {
		return index <= segment.limit() - HEADER && segment.getInt(index) == this.magic;
	}

	/**
	 * Number of bytes up to the next batch, by the header of a marked place; 0 if no
	 * writer has made a batch of that length.
	 */
	public int claimedSize(ByteBuffer segment, int index) {
		int length = segment.getInt(index + LENGTH_AT);
		return (length >= 0 && length <= this.maxBytes - HEADER) ? size(segment, index) : 0;
	}

	/**
	 * Whether an intact batch stands in bytes of a segment.
	 * @param index of the batch in the bytes
	 * @param offset of the batch in the segment
	 */
	public boolean isIntact(ByteBuffer segment, int index, long offset) {
		if (!isMarked(segment, index) || claimedSize(segment, index) == 0) {
			return false;
		}
		int length = segment.getInt(index + LENGTH_AT);
		return length <= segment.limit() - index - HEADER
				&& segment.getInt(index + CRC_AT) == crc(segment, index, length)
				&& forcedOffset(segment, index) <= offset && forcedOffset(segment, index) >= 0;
	}

	/** Number of bytes from a batch to the next, by its header. */
	public static int size(ByteBuffer segment, int index) {
		return align(HEADER + segment.getInt(index + LENGTH_AT));
	}

	/** Number of records of an intact batch. */
	public static int records(ByteBuffer segment, int index) {
		return segment.getInt(index + RECORDS_AT);
	}

	/**
	 * Length of the segment that was known to be on the disk when an intact batch was
	 * written.
	 */
	public static long forcedOffset(ByteBuffer segment, int index) {
		return segment.getLong(index + FORCED_AT);
	}

	/** Hands over the records of an intact batch in order. */
	public static void read(ByteBuffer segment, int index, RecordVisitor visitor) {
		int position = index + HEADER;
		for (int i = records(segment, index); i > 0; i--) {
			int keySize = Short.toUnsignedInt(segment.getShort(position));
			int entrySize = segment.getInt(position + Short.BYTES);
			byte[] key = new byte[keySize];
			segment.get(position + LogFormat.RECORD_HEADER, key);
			visitor.record(Key.wrap(key),
					EntryCodec.read(segment, position + LogFormat.RECORD_HEADER + keySize, entrySize));
			position += LogFormat.RECORD_HEADER + keySize + entrySize;
		}
	}

	private int crc(ByteBuffer buffer, int start, int length) {
		this.crc.reset();
		this.crc.update(this.secret);
		this.crc.update(buffer.slice(start + LENGTH_AT, Integer.BYTES));
		this.crc.update(buffer.slice(start + RECORDS_AT, HEADER - RECORDS_AT + length));
		return (int) this.crc.getValue();
	}

}
