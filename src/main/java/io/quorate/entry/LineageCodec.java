package io.quorate.entry;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Lineage.Repeatable;

/**
 * The bytes of a lineage, the same on disk and between nodes, big-endian:
 * {@code flags 1 | [version 12] | [parent 12] | [count 1 | (key 8 | request 8 | version
 * 12) *]}. Bit 0 of the flags means that the version follows, which is the timestamp of
 * the entry otherwise; bit 1 that a parent follows, bit 2 that writes follow which
 * clients may repeat, one at least. Pure.
 */
public final class LineageCodec {

	/** Most bytes of a lineage. */
	public static final int MAX_SIZE_BYTES = 2 + 2 * Timestamp.SIZE_BYTES
			+ Lineage.MOST_REPEATABLE * LineageCodec.REPEATABLE_BYTES;

	private static final int REPEATABLE_BYTES = 2 * Long.BYTES + Timestamp.SIZE_BYTES;

	private static final int VERSION = 0b01;

	private static final int PARENT = 0b10;

	private static final int REPEATABLE = 0b100;

	private LineageCodec() {
	}

	/**
	 * Number of bytes that {@link #write} will take, 0 for an entry without a lineage.
	 */
	public static int size(Versioned entry) {
		Lineage lineage = entry.lineage();
		if (lineage == null) {
			return 0;
		}
		int timestamps = Integer.bitCount(flags(lineage, entry) & (VERSION | PARENT)) * Timestamp.SIZE_BYTES;
		int repeatable = lineage.repeatable().size();
		return 1 + timestamps + ((repeatable > 0) ? 1 + repeatable * REPEATABLE_BYTES : 0);
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
		if ((flags & REPEATABLE) != 0) {
			to.put((byte) lineage.repeatable().size());
			for (Repeatable each : lineage.repeatable()) {
				to.putLong(each.key().key()).putLong(each.key().request());
				write(each.version(), to);
			}
		}
	}

	private static int flags(Lineage lineage, Versioned entry) {
		return (lineage.version().equals(entry.timestamp()) ? 0 : VERSION) | ((lineage.parent() != null) ? PARENT : 0)
				| (lineage.repeatable().isEmpty() ? 0 : REPEATABLE);
	}

	private static void write(Timestamp timestamp, ByteBuffer to) {
		to.putLong(timestamp.hybrid()).putInt(timestamp.node());
	}

	/**
	 * Reads a lineage.
	 * @param timestamp that of the entry
	 * @param octets reads the next byte, unsigned
	 * @param ints reads the next four bytes
	 * @param longs reads the next eight bytes
	 * @throws IllegalArgumentException when the bytes are not those of a lineage
	 */
	public static Lineage read(Timestamp timestamp, IntSupplier octets, IntSupplier ints, LongSupplier longs) {
		int flags = octets.getAsInt();
		if ((flags & ~(VERSION | PARENT | REPEATABLE)) != 0) {
			throw new IllegalArgumentException("unknown flags %#x of a lineage".formatted(flags));
		}
		Timestamp version = ((flags & VERSION) != 0) ? timestamp(ints, longs) : timestamp;
		Timestamp parent = ((flags & PARENT) != 0) ? timestamp(ints, longs) : null;
		int count = ((flags & REPEATABLE) != 0) ? octets.getAsInt() : 0;
		if (count > Lineage.MOST_REPEATABLE || (count == 0 && (flags & REPEATABLE) != 0)) {
			throw new IllegalArgumentException("a lineage of %d writes to repeat".formatted(count));
		}
		List<Repeatable> repeatable = new ArrayList<>(count);
		for (int i = 0; i < count; i++) {
			IdempotencyKey key = new IdempotencyKey(longs.getAsLong(), longs.getAsLong());
			repeatable.add(new Repeatable(key, timestamp(ints, longs)));
		}
		return new Lineage(version, parent, repeatable);
	}

	private static Timestamp timestamp(IntSupplier ints, LongSupplier longs) {
		return new Timestamp(longs.getAsLong(), ints.getAsInt());
	}

}
