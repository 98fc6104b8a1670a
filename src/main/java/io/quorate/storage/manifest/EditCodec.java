package io.quorate.storage.manifest;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.storage.manifest.VersionEdit.LogEdit;
import io.quorate.storage.manifest.VersionEdit.TableEdit;
import io.quorate.storage.manifest.VersionEdit.ValueFileEdit;
import io.quorate.storage.sstable.TableSummary;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a version edit, big-endian:
 *
 * <pre>
 * count 4 | tables added
 * count 4 | numbers of tables removed, 8 each
 * 0 or 1  | first live segment 8
 * count 4 | numbers of value files added, 8 each
 * count 4 | numbers of value files removed, 8 each
 * highest sequence 8
 * count 4 | numbers of tables set aside, 8 each
 * count 4 | numbers of tables discarded, 8 each
 * count 4 | tables quarantined, number 8 and offset of the damage 8 each
 * 0 or 1  | last log segment 8
 * count 4 | log segments, number 8 and fsynced length 8 each
 * </pre>
 *
 * and of a table:
 *
 * <pre>
 * number 8 | level 4 | run 8 | entries 8 | tombstones 8 | expiring 8 | size 2 and smallest key
 * | size 2 and largest key | oldest 12 | newest 12 | earliest expiry 8 | highest sequence 8
 * | size 8 | count 4 | value files, number 8 and bytes 8 each
 * </pre>
 */
final class EditCodec {

	private EditCodec() {
	}

	static byte[] toBytes(VersionEdit edit) throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		DataOutputStream out = new DataOutputStream(bytes);
		TableEdit tables = edit.tables();
		out.writeInt(tables.added().size());
		for (TableMeta table : tables.added()) {
			write(table, out);
		}
		write(tables.removed(), out);
		write(edit.log().first(), out);
		write(edit.values().added(), out);
		write(edit.values().removed(), out);
		out.writeLong(edit.highestSequence());
		write(tables.setAside(), out);
		write(tables.discarded(), out);
		write(tables.quarantined(), out);
		write(edit.log().last(), out);
		write(edit.log().forcedLengths(), out);
		return bytes.toByteArray();
	}

	/**
	 * Reads an edit.
	 * @throws IOException when the bytes are not those of an edit
	 */
	static VersionEdit fromBytes(byte[] bytes) throws IOException {
		DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
		int count = in.readInt();
		List<TableMeta> added = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			added.add(readTable(in));
		}
		List<Long> removed = readNumbers(in);
		@Nullable Long firstSegment = readOptional(in);
		VersionEdit edit = readRest(added, removed, firstSegment, in);
		if (in.available() > 0) {
			throw new IOException(in.available() + " bytes behind the end of an edit");
		}
		return edit;
	}

	private static VersionEdit readRest(List<TableMeta> added, List<Long> removed, @Nullable Long firstSegment,
			DataInputStream in) throws IOException {
		ValueFileEdit values = new ValueFileEdit(readNumbers(in), readNumbers(in));
		long highestSequence = in.readLong();
		TableEdit tables = new TableEdit(added, removed, readNumbers(in), readNumbers(in), readPairs(in));
		LogEdit log = new LogEdit(firstSegment, readOptional(in), readPairs(in));
		return new VersionEdit(tables, values, log, highestSequence);
	}

	private static void write(@Nullable Long number, DataOutputStream out) throws IOException {
		out.writeBoolean(number != null);
		if (number != null) {
			out.writeLong(number);
		}
	}

	private static @Nullable Long readOptional(DataInputStream in) throws IOException {
		return in.readBoolean() ? in.readLong() : null;
	}

	private static void write(TableMeta table, DataOutputStream out) throws IOException {
		TableSummary summary = table.summary();
		out.writeLong(table.number());
		out.writeInt(table.level());
		out.writeLong(table.run());
		out.writeLong(summary.counts().entries());
		out.writeLong(summary.counts().tombstones());
		out.writeLong(summary.counts().expiring());
		write(summary.keys().smallest(), out);
		write(summary.keys().largest(), out);
		write(summary.times().oldest(), out);
		write(summary.times().newest(), out);
		out.writeLong(summary.times().earliestExpiryMillis());
		out.writeLong(summary.highestSequence());
		out.writeLong(summary.sizeBytes());
		write(summary.valueBytes(), out);
	}

	private static void write(Map<Long, Long> pairs, DataOutputStream out) throws IOException {
		out.writeInt(pairs.size());
		for (Map.Entry<Long, Long> pair : new TreeMap<>(pairs).entrySet()) {
			out.writeLong(pair.getKey());
			out.writeLong(pair.getValue());
		}
	}

	private static TableMeta readTable(DataInputStream in) throws IOException {
		long number = in.readLong();
		int level = in.readInt();
		long run = in.readLong();
		TableSummary summary = new TableSummary(new TableSummary.Counts(in.readLong(), in.readLong(), in.readLong()),
				new TableSummary.Keys(readKey(in), readKey(in)),
				new TableSummary.Times(readTimestamp(in), readTimestamp(in), in.readLong()), in.readLong(),
				in.readLong(), readPairs(in));
		return new TableMeta(number, level, run, summary);
	}

	private static Map<Long, Long> readPairs(DataInputStream in) throws IOException {
		int count = in.readInt();
		Map<Long, Long> pairs = new TreeMap<>();
		for (int i = 0; i < count; i++) {
			pairs.put(in.readLong(), in.readLong());
		}
		return pairs;
	}

	private static void write(List<Long> numbers, DataOutputStream out) throws IOException {
		out.writeInt(numbers.size());
		for (Long number : numbers) {
			out.writeLong(number);
		}
	}

	private static List<Long> readNumbers(DataInputStream in) throws IOException {
		int count = in.readInt();
		List<Long> numbers = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			numbers.add(in.readLong());
		}
		return numbers;
	}

	private static void write(Key key, DataOutputStream out) throws IOException {
		out.writeShort(key.size());
		out.write(key.array());
	}

	private static Key readKey(DataInputStream in) throws IOException {
		byte[] bytes = new byte[in.readUnsignedShort()];
		in.readFully(bytes);
		if (bytes.length == 0 || bytes.length > Key.MAX_SIZE_BYTES) {
			throw new IOException("a key of " + bytes.length + " bytes");
		}
		return Key.wrap(bytes);
	}

	private static void write(Timestamp timestamp, DataOutputStream out) throws IOException {
		out.writeLong(timestamp.hybrid());
		out.writeInt(timestamp.node());
	}

	private static Timestamp readTimestamp(DataInputStream in) throws IOException {
		return new Timestamp(in.readLong(), in.readInt());
	}

}
