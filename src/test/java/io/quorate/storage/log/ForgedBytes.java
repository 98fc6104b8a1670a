package io.quorate.storage.log;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import io.quorate.storage.record.EntryCodec;
import io.quorate.storage.record.StoredEntry;

/**
 * Makes bytes that a client can compute and a log might take for its own: batches of both
 * versions of the format, written down here once more so that no change of the codec
 * changes them.
 */
public final class ForgedBytes {

	/** Size of the header of a batch. */
	public static final int BATCH_HEADER = 24;

	private static final int MAGIC_OF_VERSION_1 = 0x51_52_42_31;

	private ForgedBytes() {
	}

	/** A record of a value of one byte, with a stamp that wins over all others. */
	public static byte[] record(String key, long sequence) {
		StoredEntry entry = new StoredEntry(sequence, new Timestamp(Long.MAX_VALUE / 2, 1), Versioned.NEVER, 1,
				new StoredEntry.Inline(Value.wrap(new byte[] { 66 })));
		Key name = Key.of(key);
		int size = EntryCodec.size(entry);
		ByteBuffer bytes = ByteBuffer.allocate(Short.BYTES + Integer.BYTES + name.size() + size)
			.putShort((short) name.size())
			.putInt(size)
			.put(name.array());
		EntryCodec.write(entry, bytes);
		return bytes.array();
	}

	/** A batch of the first version of the format, in which nothing is secret. */
	public static byte[] batch(long segment, int records, long forced, byte[] payload) {
		ByteBuffer batch = unsealed(MAGIC_OF_VERSION_1, records, forced, payload);
		CRC32C crc = new CRC32C();
		crc.update(ByteBuffer.allocate(Long.BYTES).putLong(0, segment));
		return sealed(batch, payload.length, crc);
	}

	/** A batch of the second version, if its segment has that salt. */
	public static byte[] batch(long salt, long segment, int records, long forced, byte[] payload) {
		ByteBuffer batch = unsealed((int) (salt >>> Integer.SIZE), records, forced, payload);
		CRC32C crc = new CRC32C();
		crc.update(ByteBuffer.allocate(2 * Long.BYTES).putLong(0, salt).putLong(Long.BYTES, segment));
		return sealed(batch, payload.length, crc);
	}

	private static ByteBuffer unsealed(int magic, int records, long forced, byte[] payload) {
		return ByteBuffer.allocate((BATCH_HEADER + payload.length + 7) & -8)
			.putInt(0, magic)
			.putInt(4, payload.length)
			.putInt(12, records)
			.putLong(16, forced)
			.put(BATCH_HEADER, payload);
	}

	private static byte[] sealed(ByteBuffer batch, int length, CRC32C crc) {
		crc.update(batch.slice(4, 4));
		crc.update(batch.slice(12, BATCH_HEADER - 12 + length));
		byte[] bytes = new byte[batch.capacity()];
		batch.putInt(8, (int) crc.getValue()).get(0, bytes);
		return bytes;
	}

	/** What stands before the batches of a segment of the first version. */
	public static byte[] header(long segment, long previousForced, boolean reused) {
		ByteBuffer header = ByteBuffer.allocate(32).putLong(0x51_52_54_57_41_4c_30_31L);
		header.putLong(segment).putLong(previousForced);
		CRC32C crc = new CRC32C();
		crc.update(header.slice(0, 24));
		return header.putInt((int) crc.getValue()).putInt(reused ? 1 : 0).array();
	}

	/** The beginning of a batch of the first version that claims to be so long. */
	public static byte[] beginning(int length) {
		return ByteBuffer.allocate(2 * Integer.BYTES).putInt(MAGIC_OF_VERSION_1).putInt(length).array();
	}

	/** So many bytes, of one piece again and again. */
	public static byte[] filled(int size, byte[] piece) {
		byte[] all = new byte[size];
		for (int at = 0; at + piece.length <= size; at += piece.length) {
			System.arraycopy(piece, 0, all, at, piece.length);
		}
		return all;
	}

}
