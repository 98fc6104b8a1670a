package io.quorate.storage.sstable;

import java.util.Map;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;

/**
 * What a table's footer says of it.
 *
 * @param entries number of entries, at least 1
 * @param tombstones how many of them are tombstones
 * @param expiring how many of them have an expiry
 * @param smallest first key
 * @param largest last key
 * @param oldest earliest timestamp
 * @param newest latest timestamp
 * @param earliestExpiryMillis the earliest expiry, {@link Long#MAX_VALUE} without any
 * @param highestSequence latest arrival in the store
 * @param sizeBytes size of the whole file
 * @param valueBytes by number of value file, how many bytes of it are referred to
 */
public record TableSummary(long entries, long tombstones, long expiring, Key smallest, Key largest, Timestamp oldest,
		Timestamp newest, long earliestExpiryMillis, long highestSequence, long sizeBytes, Map<Long, Long> valueBytes) {

	public TableSummary {
		valueBytes = Map.copyOf(valueBytes);
	}

	/** The same, of a file of another size. */
	TableSummary withSizeBytes(long newSizeBytes) {
		return new TableSummary(this.entries, this.tombstones, this.expiring, this.smallest, this.largest, this.oldest,
				this.newest, this.earliestExpiryMillis, this.highestSequence, newSizeBytes, this.valueBytes);
	}

	/** Whether the key lies within the bounds. */
	public boolean covers(Key key) {
		return key.compareTo(this.smallest) >= 0 && key.compareTo(this.largest) <= 0;
	}

	/** Whether the ranges of keys have one in common. */
	public boolean overlaps(TableSummary other) {
		return this.smallest.compareTo(other.largest) <= 0 && other.smallest.compareTo(this.largest) <= 0;
	}

}
