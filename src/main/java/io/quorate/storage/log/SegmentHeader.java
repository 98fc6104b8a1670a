package io.quorate.storage.log;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.OptionalInt;
import java.util.zip.CRC32C;

import org.jspecify.annotations.Nullable;

/**
 * The header of a segment, big-endian. It stands at the beginning of the file and once
 * more in the next sector: without it no batch can be distinguished from other bytes.
 *
 * <pre>
 * magic 8 | segment number 8 | fsynced length of the segment before 8 | CRC32C of these 4 | reused 4
 * | salt 8 | CRC32C of all these 4 | zeros up to 512 | the same once more up to 1024
 * </pre>
 *
 * The magic ends with the version, in ASCII; it and the first CRC stand at the same
 * places in all versions.
 *
 * @param number number of the segment
 * @param previousForced number of bytes of the segment before that are on the disk
 * @param isReused whether the bytes behind the batches may be those of an older segment,
 * whose file was reused
 * @param salt mark of the segment's batches
 */
public record SegmentHeader(long number, long previousForced, boolean isReused, long salt) {

	/** Size of the header in the file, up to the first batch. */
	public static final int SIZE = 1024;

	/** The version of the format. */
	public static final int VERSION = 1;

	/**
	 * The offset of the second copy, in the next sector: a disk writes a sector whole, or
	 * not at all.
	 */
	private static final int COPY_AT = 512;

	private static final long MAGIC = 0x51_52_54_57_41_4c_30_31L;

	/** The beginning of the magic in all versions; the version follows it, in ASCII. */
	private static final long FAMILY = MAGIC >>> Short.SIZE;

	private static final int CRC_AT = 24;

	private static final int REUSED_AT = 28;

	private static final int SALT_AT = 32;

	private static final int WHOLE_CRC_AT = 40;

	private static final int END = 44;

	private static final SecureRandom RANDOM = new SecureRandom();

	/** The header of a segment that is begun, with a salt that no client can know. */
	public static SegmentHeader begun(long number, long previousForced, boolean isReused) {
		long salt = RANDOM.nextLong();
		while (salt >>> Integer.SIZE == 0) {
			// Its upper half marks batches, and must not be a number that files are full
			// of.
			salt = RANDOM.nextLong();
		}
		return new SegmentHeader(number, previousForced, isReused, salt);
	}

	/** Writes both copies of the header, from the buffer's position on. */
	public void write(ByteBuffer to) {
		ByteBuffer header = ByteBuffer.allocate(COPY_AT)
			.putLong(MAGIC)
			.putLong(this.number)
			.putLong(this.previousForced);
		header.putInt(crc(header.slice(0, CRC_AT))).putInt(this.isReused ? 1 : 0).putLong(this.salt);
		header.putInt(crc(header.slice(0, WHOLE_CRC_AT)));
		to.put(header.array()).put(header.array());
	}

	/** The header of a segment, whatever its number; {@code null} without one. */
	public static @Nullable SegmentHeader of(ByteBuffer segment) {
		SegmentHeader first = at(segment, 0);
		return (first != null) ? first : at(segment, COPY_AT);
	}

	/** The header of the segment with that number, or {@code null}. */
	public static @Nullable SegmentHeader of(ByteBuffer segment, long number) {
		SegmentHeader header = of(segment);
		if (header != null && header.number != number) {
			// The machine has stopped between two sectors when the segment was begun.
			header = at(segment, COPY_AT);
		}
		return (header != null && header.number == number) ? header : null;
	}

	private static @Nullable SegmentHeader at(ByteBuffer segment, int start) {
		if (segment.limit() < start + END || segment.getLong(start) != MAGIC
				|| segment.getInt(start + CRC_AT) != crc(segment.slice(start, CRC_AT))
				|| segment.getInt(start + WHOLE_CRC_AT) != crc(segment.slice(start, WHOLE_CRC_AT))) {
			return null;
		}
		return new SegmentHeader(segment.getLong(start + 8), segment.getLong(start + 16),
				segment.getInt(start + REUSED_AT) != 0, segment.getLong(start + SALT_AT));
	}

	/** The version of a segment's format, if this program does not know it. */
	public static OptionalInt unknownVersion(ByteBuffer segment) {
		if (segment.limit() < REUSED_AT || segment.getLong(0) >>> Short.SIZE != FAMILY
				|| segment.getInt(CRC_AT) != crc(segment.slice(0, CRC_AT))) {
			return OptionalInt.empty();
		}
		int tens = Character.digit(segment.get(Long.BYTES - 2), 10);
		int ones = Character.digit(segment.get(Long.BYTES - 1), 10);
		int version = 10 * tens + ones;
		return (version == VERSION) ? OptionalInt.empty() : OptionalInt.of(version);
	}

	private static int crc(ByteBuffer bytes) {
		CRC32C crc = new CRC32C();
		crc.update(bytes);
		return (int) crc.getValue();
	}

}
