package io.quorate.entry;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * The bytes of a live entry: none to some megabytes, compared unsigned. No bytes at all
 * are a value, too.
 */
public final class Value implements Comparable<Value> {

	/** The value of no bytes. */
	public static final Value EMPTY = new Value(new byte[0]);

	private final byte[] bytes;

	private Value(byte[] bytes) {
		this.bytes = bytes;
	}

	/** The value of these bytes, which are copied. */
	public static Value copyOf(byte[] bytes) {
		return new Value(bytes.clone());
	}

	/**
	 * The value of these bytes, which now belong to it and must not be changed any more.
	 */
	public static Value wrap(byte[] bytes) {
		return new Value(bytes);
	}

	/** Number of bytes. */
	public int size() {
		return this.bytes.length;
	}

	/** The bytes themselves, not a copy: they must not be changed. */
	public byte[] array() {
		return this.bytes;
	}

	@Override
	public int compareTo(Value other) {
		return (this == other) ? 0 : Arrays.compareUnsigned(this.bytes, other.bytes);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof Value value && Arrays.equals(this.bytes, value.bytes);
	}

	@Override
	public int hashCode() {
		return Arrays.hashCode(this.bytes);
	}

	@Override
	public String toString() {
		return this.bytes.length + " bytes";
	}

}
