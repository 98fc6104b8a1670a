package io.quorate.storage.directory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.zip.CRC32C;

import io.quorate.storage.StorageStartException;
import io.quorate.storage.file.Channels;
import io.quorate.storage.file.DirectoryEntries;
import io.quorate.storage.file.DurableFiles;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of the file {@code CLOCK}: two slots, each in a disk block of its own. A
 * write replaces the older slot, so that a torn write leaves the newer one. A slot is,
 * big-endian:
 *
 * <pre>
 * magic 4 | format version 4 | hybrid time 8 | number of the write 4 | CRC32C 4
 * </pre>
 *
 * Used by one thread at a time.
 */
public final class CeilingSlots implements CeilingFile.Recorder {

	public static final String FILE_NAME = "CLOCK";

	static final int SLOT_SIZE = 24;

	static final int SLOT_DISTANCE = 4096;

	private static final int MAGIC = 0x51434c4b;

	private static final int FORMAT_VERSION = 1;

	private final FileChannel channel;

	private Slot newest;

	private CeilingSlots(FileChannel channel, Slot newest) {
		this.channel = channel;
		this.newest = newest;
	}

	private record Slot(long hybrid, int write) {
	}

	/**
	 * Reads the hybrid time recorded in a directory, and does not change the directory.
	 */
	static long recorded(Path directory) throws IOException {
		Path file = directory.resolve(FILE_NAME);
		ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
		return newer(file, read(file, bytes, 0), read(file, bytes, SLOT_DISTANCE)).hybrid();
	}

	static CeilingSlots open(Path directory) throws IOException {
		Path file = directory.resolve(FILE_NAME);
		DirectoryEntries.deleteIfExists(directory.resolve(FILE_NAME + DurableFiles.TEMPORARY_SUFFIX));
		if (!Files.exists(file)) {
			ByteBuffer content = ByteBuffer.allocate(SLOT_DISTANCE + SLOT_SIZE).put(bytes(new Slot(0, 0)));
			DurableFiles.replace(file, content.rewind());
		}
		ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
		Slot first = read(file, bytes, 0);
		Slot second = read(file, bytes, SLOT_DISTANCE);
		return new CeilingSlots(Channels.open(file, StandardOpenOption.WRITE), newer(file, first, second));
	}

	/** Hybrid time that was recorded last. */
	long hybrid() {
		return this.newest.hybrid();
	}

	/**
	 * Records a hybrid time durably. If this fails, the time recorded before is still
	 * there, and the next call writes the same slot again.
	 */
	@Override
	public void record(long hybrid) throws IOException {
		Slot next = new Slot(hybrid, this.newest.write() + 1);
		DurableFiles.writeFully(this.channel, bytes(next), (long) (next.write() & 1) * SLOT_DISTANCE);
		this.channel.force(false);
		this.newest = next;
	}

	@Override
	public void close() throws IOException {
		this.channel.close();
	}

	private static ByteBuffer bytes(Slot slot) {
		ByteBuffer bytes = ByteBuffer.allocate(SLOT_SIZE)
			.putInt(MAGIC)
			.putInt(FORMAT_VERSION)
			.putLong(slot.hybrid())
			.putInt(slot.write());
		return bytes.putInt(checksum(bytes.duplicate().flip())).flip();
	}

	private static @Nullable Slot read(Path file, ByteBuffer bytes, int at) {
		if (bytes.limit() < at + SLOT_SIZE || bytes.getInt(at) != MAGIC) {
			return null;
		}
		int guarded = SLOT_SIZE - Integer.BYTES;
		if (bytes.getInt(at + guarded) != checksum(bytes.slice(at, guarded))) {
			return null;
		}
		int version = bytes.getInt(at + Integer.BYTES);
		if (version != FORMAT_VERSION) {
			throw StorageStartException.otherFormat(file, version, FORMAT_VERSION);
		}
		return new Slot(bytes.getLong(at + 8), bytes.getInt(at + 16));
	}

	private static Slot newer(Path file, @Nullable Slot first, @Nullable Slot second) {
		if (first == null && second == null) {
			throw new StorageStartException(
					"%s is damaged: neither of its two slots is valid, so it is not known up to".formatted(file)
							+ " which time this node has stamped writes. If the system clock is right and ahead"
							+ " of the time at which the node stopped, delete the file and start again.",
					null);
		}
		if (first == null || second == null) {
			return (first != null) ? first : Objects.requireNonNull(second);
		}
		return (first.write() - second.write() > 0) ? first : second;
	}

	private static int checksum(ByteBuffer bytes) {
		CRC32C crc = new CRC32C();
		crc.update(bytes);
		return (int) crc.getValue();
	}

}
