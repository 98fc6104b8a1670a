package io.quorate.storage.floor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

import io.quorate.entry.Partitions;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.file.DurableFiles;

/**
 * The file {@code SHARES} with the floors of all partitions. It is replaced as a whole:
 * after any crash it has the floors of before a change or those after it. Without the
 * file all floors are 0. Numbers have the highest byte first:
 *
 * <pre>
 * magic 4 "QSHR" | version 4 | layout 8 | first clean table 8 | floors 4 | floor 8...
 * | index of the floor of each partition 2... | CRC-32C of all before 4
 *
 * layout:             version of the layout for which the floors were set
 * floors:             number of different floors
 * floor:              sequence of an arrival; 2^63 - 1 for partitions that were lost
 * first clean table:  number of the first table that has no entry at or below a floor
 * </pre>
 */
public final class SharesFile {

	/** Name of the file. */
	public static final String FILE_NAME = "SHARES";

	private static final int MAGIC = 0x51534852;

	private static final int FORMAT_VERSION = 1;

	private static final int COUNT_AT = 2 * Integer.BYTES + 2 * Long.BYTES;

	private static final int FLOORS_AT = COUNT_AT + Integer.BYTES;

	private static final int FIXED_BYTES = FLOORS_AT + Partitions.COUNT * Short.BYTES + Integer.BYTES;

	private SharesFile() {
	}

	/**
	 * Reads the floors of a directory.
	 * @throws StorageStartException when the file is damaged, or of a newer program
	 */
	public static Floors read(Path directory) throws IOException {
		Path file = directory.resolve(FILE_NAME);
		try {
			return read(file, ByteBuffer.wrap(Files.readAllBytes(file)));
		}
		catch (NoSuchFileException missing) {
			return Floors.NONE;
		}
	}

	private static Floors read(Path file, ByteBuffer bytes) {
		int guarded = bytes.limit() - Integer.BYTES;
		if (guarded < FIXED_BYTES - Integer.BYTES || bytes.getInt(0) != MAGIC) {
			throw damaged(file, "it is not what it should be, or not whole");
		}
		if (bytes.getInt(guarded) != checksum(bytes.slice(0, guarded))) {
			throw damaged(file, "its checksum is wrong");
		}
		int version = bytes.getInt(Integer.BYTES);
		if (version != FORMAT_VERSION) {
			throw StorageStartException.otherFormat(file, version, FORMAT_VERSION);
		}
		int count = bytes.getInt(COUNT_AT);
		if (count < 1 || bytes.limit() != FIXED_BYTES + (long) count * Long.BYTES) {
			throw damaged(file, "it has another size than it says");
		}
		long layout = bytes.getLong(2 * Integer.BYTES);
		long firstCleanTable = bytes.getLong(2 * Integer.BYTES + Long.BYTES);
		return Floors.recovered(layout, floors(file, bytes, count), firstCleanTable);
	}

	private static long[] floors(Path file, ByteBuffer bytes, int count) {
		long[] floors = new long[Partitions.COUNT];
		int indexes = FLOORS_AT + count * Long.BYTES;
		for (int partition = 0; partition < floors.length; partition++) {
			int index = Short.toUnsignedInt(bytes.getShort(indexes + partition * Short.BYTES));
			if (index >= count) {
				throw damaged(file, "it has a partition without a floor");
			}
			floors[partition] = bytes.getLong(FLOORS_AT + index * Long.BYTES);
		}
		return floors;
	}

	private static StorageStartException damaged(Path file, String why) {
		return new StorageStartException(
				"%s is damaged: %s. So it is not known which entries of this node do not count since partitions have moved."
					.formatted(file, why)
						+ " Restore the whole directory from a backup, or move it away and start with an empty one, which"
						+ " the other replicas fill. No data was changed.",
				null);
	}

	/** Replaces the floors of a directory; on return they are durable. */
	public static void write(Path directory, Floors floors) throws IOException {
		publish(directory, writeTemporary(directory, floors));
	}

	/**
	 * Puts floors that were written to their place. When it fails, the floors before or
	 * these may be there after a crash.
	 */
	public static void publish(Path directory, Path temporary) throws IOException {
		DurableFiles.publish(temporary, directory.resolve(FILE_NAME));
	}

	/**
	 * Writes floors beside their place.
	 * @return path of the file, for {@link #publish}
	 */
	public static Path writeTemporary(Path directory, Floors floors) throws IOException {
		Map<Long, Integer> indexes = new HashMap<>();
		List<Long> distinct = new ArrayList<>();
		short[] of = new short[Partitions.COUNT];
		for (int partition = 0; partition < of.length; partition++) {
			long floor = floors.of(partition);
			of[partition] = indexes.computeIfAbsent(floor, (_) -> {
				distinct.add(floor);
				return distinct.size() - 1;
			}).shortValue();
		}
		ByteBuffer bytes = ByteBuffer.allocate(FIXED_BYTES + distinct.size() * Long.BYTES)
			.putInt(MAGIC)
			.putInt(FORMAT_VERSION)
			.putLong(floors.version())
			.putLong(floors.firstCleanTable())
			.putInt(distinct.size());
		distinct.forEach(bytes::putLong);
		for (short index : of) {
			bytes.putShort(index);
		}
		bytes.putInt(checksum(bytes.slice(0, bytes.position())));
		return DurableFiles.writeTemporary(directory.resolve(FILE_NAME), bytes.flip());
	}

	private static int checksum(ByteBuffer bytes) {
		CRC32C crc = new CRC32C();
		crc.update(bytes);
		return (int) crc.getValue();
	}

}
