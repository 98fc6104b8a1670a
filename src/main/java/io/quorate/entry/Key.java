package io.quorate.entry;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * The key of an entry: 1 to {@value #MAX_SIZE_BYTES} bytes, compared as unsigned bytes, a
 * prefix before the longer key.
 */
public final class Key implements Comparable<Key> {

	/** The longest key in bytes. */
	public static final int MAX_SIZE_BYTES = 1024;

	private final byte[] bytes;

	private Key(byte[] bytes) {
		this.bytes = bytes;
	}

	/** The key of these bytes, which are copied. */
	public static Key copyOf(byte[] bytes) {
		return wrap(bytes.clone());
	}

	/**
	 * The key of these bytes, which now belong to it and must not be changed any more.
	 * @throws IllegalArgumentException when there are none or too many
	 */
	public static Key wrap(byte[] bytes) {
		if (bytes.length == 0 || bytes.length > MAX_SIZE_BYTES) {
			throw new IllegalArgumentException(
					"a key has 1 to %d bytes, not %d".formatted(MAX_SIZE_BYTES, bytes.length));
		}
		return new Key(bytes);
	}

	/** The key of the UTF-8 bytes of a text. */
	public static Key of(String text) {
		return wrap(text.getBytes(StandardCharsets.UTF_8));
	}

	/** Number of bytes. */
	public int size() {
		return this.bytes.length;
	}

	/** The bytes themselves, not a copy: they must not be changed. */
	public byte[] array() {
		return this.bytes;
	}

	/** The key behind it with none between, {@code null} for the last one of all. */
	public @Nullable Key next() {
		if (size() < MAX_SIZE_BYTES) {
			return new Key(Arrays.copyOf(this.bytes, size() + 1));
		}
		int last = size() - 1;
		while (last >= 0 && this.bytes[last] == -1) {
			last--;
		}
		if (last < 0) {
			return null;
		}
		byte[] next = Arrays.copyOf(this.bytes, last + 1);
		next[last]++;
		return new Key(next);
	}

	/**
	 * {@link Hash64} of the bytes: the hash of partitions and Bloom filters. Computed at
	 * each call.
	 */
	public long hash64() {
		return Hash64.of(this.bytes);
	}

	/** Whether the first bytes of this key are those of {@code prefix}. */
	public boolean startsWith(Key prefix) {
		int length = prefix.bytes.length;
		return this.bytes.length >= length && Arrays.equals(this.bytes, 0, length, prefix.bytes, 0, length);
	}

	@Override
	public int compareTo(Key other) {
		return Arrays.compareUnsigned(this.bytes, other.bytes);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof Key key && Arrays.equals(this.bytes, key.bytes);
	}

	@Override
	public int hashCode() {
		return Arrays.hashCode(this.bytes);
	}

	/** The bytes as UTF-8 text, for people. */
	@Override
	public String toString() {
		return new String(this.bytes, StandardCharsets.UTF_8);
	}

}
