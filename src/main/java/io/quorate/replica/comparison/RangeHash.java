package io.quorate.replica.comparison;

import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;

/**
 * A digest, of a few bytes, of a node's entries in a key range.
 *
 * @param start first key, inclusive
 * @param end end of the range, exclusive, or {@code null} for the end of the store
 * @param hash of the entries that count, in the order of their keys
 * @param count number of these entries
 */
public record RangeHash(Key start, @Nullable Key end, long hash, int count) {

	private static final int OVERHEAD_BYTES = 2 * Short.BYTES + Long.BYTES + Integer.BYTES;

	/** Greatest number of bytes that it takes on a connection. */
	public int sizeBytes() {
		return this.start.size() + ((this.end != null) ? this.end.size() : 0) + OVERHEAD_BYTES;
	}

}
