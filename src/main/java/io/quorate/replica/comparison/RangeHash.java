package io.quorate.replica.comparison;

import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;

/**
 * What a node holds in a key range, in a few bytes.
 *
 * @param start first key, inclusive
 * @param end end of the range, exclusive, or {@code null} for the end of the store
 * @param hash of the entries that count, in the order of their keys
 * @param count number of these entries
 */
public record RangeHash(Key start, @Nullable Key end, long hash, int count) {

	private static final int OVERHEAD_BYTES = 2 * Short.BYTES + Long.BYTES + Integer.BYTES;

	/** Bytes that it takes on its way, at the most. */
	public int sizeBytes() {
		return this.start.size() + ((this.end != null) ? this.end.size() : 0) + OVERHEAD_BYTES;
	}

}
