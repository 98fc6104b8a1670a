package io.quorate.storage.sstable;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;

/**
 * The bytes of a summary in a footer, big-endian, without the size of the file:
 *
 * <pre>
 * entries 8 | tombstones 8 | expiring 8 | earliest expiry 8 | highest sequence 8
 * | oldest 12 | newest 12 | size 2, smallest | size 2, largest
 * | number of value files 4 | (value file 8, bytes 8)...
 * </pre>
 */
final class SummaryCodec {

	private static final int FIXED_SIZE = 5 * Long.BYTES + 2 * Timestamp.SIZE_BYTES + 2 * Short.BYTES + Integer.BYTES;

	private SummaryCodec() {
	}

	static int size(TableSummary summary) {
		return FIXED_SIZE + summary.smallest().size() + summary.largest().size()
				+ summary.valueBytes().size() * 2 * Long.BYTES;
	}

	static void write(TableSummary summary, ByteBuffer to) {
		to.putLong(summary.entries()).putLong(summary.tombstones()).putLong(summary.expiring());
		to.putLong(summary.earliestExpiryMillis()).putLong(summary.highestSequence());
		writeTimestamp(summary.oldest(), to);
		writeTimestamp(summary.newest(), to);
		writeKey(summary.smallest(), to);
		writeKey(summary.largest(), to);
		to.putInt(summary.valueBytes().size());
		new TreeMap<>(summary.valueBytes()).forEach((file, bytes) -> to.putLong(file).putLong(bytes));
	}

	static TableSummary read(ByteBuffer from, long sizeBytes) {
		long entries = from.getLong();
		long tombstones = from.getLong();
		long expiring = from.getLong();
		long earliestExpiryMillis = from.getLong();
		long highestSequence = from.getLong();
		Timestamp oldest = readTimestamp(from);
		Timestamp newest = readTimestamp(from);
		Key smallest = readKey(from);
		Key largest = readKey(from);
		int files = from.getInt();
		Map<Long, Long> valueBytes = new HashMap<>();
		for (int i = 0; i < files; i++) {
			valueBytes.put(from.getLong(), from.getLong());
		}
		return new TableSummary(entries, tombstones, expiring, smallest, largest, oldest, newest, earliestExpiryMillis,
				highestSequence, sizeBytes, valueBytes);
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
