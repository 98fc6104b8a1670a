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
 * Makes bytes that a client can compute and a log might take for its own: batches,
 * written down here once more so that no change of the codec changes them.
 */
public final class ForgedBytes {

	/** Size of the header of a batch. */
	public static final int BATCH_HEADER = 24;

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

	/** A batch, if its segment has that salt. */
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

	/** So many bytes, of one piece again and again. */
	public static byte[] filled(int size, byte[] piece) {
		byte[] all = new byte[size];
		for (int at = 0; at + piece.length <= size; at += piece.length) {
			System.arraycopy(piece, 0, all, at, piece.length);
		}
		return all;
	}

}
