package io.quorate.entry;

import java.nio.ByteBuffer;
import java.util.function.Supplier;

import io.quorate.clock.Timestamp;

/**
 * The bytes of a lineage, the same on disk and between nodes, big-endian:
 * {@code flags 1 | [version 12] | [parent 12]}. Bit 0 of the flags means that the version
 * follows, which is the timestamp of the entry otherwise; bit 1 that a parent follows.
 * Pure.
 */
public final class LineageCodec {

	/** Most bytes of a lineage. */
	public static final int MAX_SIZE_BYTES = 1 + 2 * Timestamp.SIZE_BYTES;

	private static final int VERSION = 0b01;

	private static final int PARENT = 0b10;

	private LineageCodec() {
	}

	/**
	 * Number of bytes that {@link #write} will take, 0 for an entry without a lineage.
	 */
	public static int size(Versioned entry) {
		Lineage lineage = entry.lineage();
		return (lineage != null) ? 1 + Integer.bitCount(flags(lineage, entry)) * Timestamp.SIZE_BYTES : 0;
	}

	/** Writes the lineage of an entry, if it has one, at the buffer's position. */
	public static void write(Versioned entry, ByteBuffer to) {
		Lineage lineage = entry.lineage();
		if (lineage == null) {
			return;
		}
		int flags = flags(lineage, entry);
		to.put((byte) flags);
		if ((flags & VERSION) != 0) {
			write(lineage.version(), to);
		}
		if (lineage.parent() != null) {
			write(lineage.parent(), to);
		}
	}

	private static int flags(Lineage lineage, Versioned entry) {
		return (lineage.version().equals(entry.timestamp()) ? 0 : VERSION) | ((lineage.parent() != null) ? PARENT : 0);
	}

	private static void write(Timestamp timestamp, ByteBuffer to) {
		to.putLong(timestamp.hybrid()).putInt(timestamp.node());
	}

	/**
	 * Reads a lineage.
	 * @param flags its first byte
	 * @param timestamp that of the entry
	 * @param next reads the next timestamp behind the flags
	 * @throws IllegalArgumentException when the flags are not those of a lineage
	 */
	public static Lineage read(int flags, Timestamp timestamp, Supplier<Timestamp> next) {
		if ((flags & ~(VERSION | PARENT)) != 0) {
			throw new IllegalArgumentException("unknown flags %#x of a lineage".formatted(flags));
		}
		Timestamp version = ((flags & VERSION) != 0) ? next.get() : timestamp;
		return new Lineage(version, ((flags & PARENT) != 0) ? next.get() : null);
	}

}
