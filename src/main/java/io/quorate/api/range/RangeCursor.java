package io.quorate.api.range;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.zip.CRC32C;

import io.quorate.api.problem.ProblemException;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import org.jspecify.annotations.Nullable;

/**
 * The cursor with which a client continues a range: the rest of the range. It refers to
 * nothing that a node keeps, so any node reads it at any time. Opaque to clients, as
 * base64url without padding:
 *
 * <pre>
 * version 1 | flags 1 | length 2 | start | length 2 | end, 0 bytes for none | CRC32C 4
 * </pre>
 *
 * Flag 1 is for keys only, flag 2 for descending order.
 *
 * @param rest the rest of the range
 * @param isKeysOnly whether the client wants no values
 */
record RangeCursor(ScanRange rest, boolean isKeysOnly) {

	private static final int VERSION = 1;

	private static final int KEYS_ONLY = 1;

	private static final int DESCENDING = 2;

	/** The text for a client. */
	String text() {
		int flags = (this.isKeysOnly ? KEYS_ONLY : 0) + (this.rest.isDescending() ? DESCENDING : 0);
		int size = 2 + sizeOf(this.rest.start()) + sizeOf(this.rest.end()) + Integer.BYTES;
		ByteBuffer bytes = ByteBuffer.allocate(size).put((byte) VERSION).put((byte) flags);
		put(this.rest.start(), bytes);
		put(this.rest.end(), bytes);
		return seal(bytes.array());
	}

	/** The text of bytes whose last four become the checksum of the others. */
	static String seal(byte[] bytes) {
		int size = bytes.length - Integer.BYTES;
		CRC32C crc = new CRC32C();
		crc.update(bytes, 0, size);
		ByteBuffer.wrap(bytes).putInt(size, (int) crc.getValue());
		return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
	}

	/**
	 * Reads the text that a client sends.
	 * @throws ProblemException 400 when it is not that of a cursor, or is damaged
	 */
	static RangeCursor parse(String text) {
		try {
			RangeCursor cursor = read(ByteBuffer.wrap(Base64.getUrlDecoder().decode(text)));
			if (cursor.text().equals(text)) {
				return cursor;
			}
		}
		catch (IllegalArgumentException | IndexOutOfBoundsException | BufferUnderflowException _) {
			// No cursor, like one that reads as another text.
		}
		throw ProblemException.badRequest(
				"parameter 'cursor' is none that a node gave, or is damaged: take it as it stands in the Link header or in \"next\"");
	}

	/* The text of the same cursor has the right version, flags and checksum. */
	private static RangeCursor read(ByteBuffer bytes) {
		int flags = bytes.get(1);
		bytes.position(2);
		Key start = Key.wrap(keyBytes(bytes));
		byte[] end = keyBytes(bytes);
		ScanRange rest = new ScanRange(start, (end.length > 0) ? Key.wrap(end) : null, (flags & DESCENDING) != 0);
		return new RangeCursor(rest, (flags & KEYS_ONLY) != 0);
	}

	private static byte[] keyBytes(ByteBuffer bytes) {
		byte[] key = new byte[Math.min(Short.toUnsignedInt(bytes.getShort()), Key.MAX_SIZE_BYTES + 1)];
		bytes.get(key);
		return key;
	}

	private static int sizeOf(@Nullable Key key) {
		return Short.BYTES + ((key != null) ? key.size() : 0);
	}

	private static void put(@Nullable Key key, ByteBuffer bytes) {
		bytes.putShort((short) ((key != null) ? key.size() : 0));
		if (key != null) {
			bytes.put(key.array());
		}
	}

}
