package io.quorate.consensus;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A content that may be decided: bytes that only its user understands, at most
 * {@value #MAX_BYTES}. Immutable; decrees with the same bytes are equal.
 */
public final class Decree {

	/** The greatest size in bytes. */
	public static final int MAX_BYTES = 1 << 20;

	private static final int SHOWN_BYTES = 8;

	private final byte[] bytes;

	private Decree(byte[] bytes) {
		if (bytes.length > MAX_BYTES) {
			throw new IllegalArgumentException(
					"a decree has %d bytes, more than %d".formatted(bytes.length, MAX_BYTES));
		}
		this.bytes = bytes;
	}

	/** The decree of a copy of these bytes. */
	public static Decree copyOf(byte[] bytes) {
		return new Decree(bytes.clone());
	}

	/** The number of bytes. */
	public int size() {
		return this.bytes.length;
	}

	/** The bytes, to be read only. */
	public ByteBuffer buffer() {
		return ByteBuffer.wrap(this.bytes).asReadOnlyBuffer();
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof Decree that && Arrays.equals(this.bytes, that.bytes);
	}

	@Override
	public int hashCode() {
		return Arrays.hashCode(this.bytes);
	}

	/** The size and the first bytes. */
	@Override
	public String toString() {
		return "%d bytes %s".formatted(this.bytes.length,
				HexFormat.of().formatHex(this.bytes, 0, Math.min(SHOWN_BYTES, this.bytes.length)));
	}

}
