package io.quorate.storage.sstable;

import java.util.Map;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;

/**
 * The summary of a table, which its footer holds.
 *
 * @param entries number of entries, at least 1
 * @param tombstones number of tombstones among them
 * @param expiring number of entries with an expiry among them
 * @param smallest first key
 * @param largest last key
 * @param oldest earliest timestamp
 * @param newest latest timestamp
 * @param earliestExpiryMillis the earliest expiry, {@link Long#MAX_VALUE} without any
 * @param highestSequence latest arrival in the store
 * @param sizeBytes size of the whole file
 * @param valueBytes number of bytes that are referred to, by the number of the value file
 */
public record TableSummary(long entries, long tombstones, long expiring, Key smallest, Key largest, Timestamp oldest,
		Timestamp newest, long earliestExpiryMillis, long highestSequence, long sizeBytes, Map<Long, Long> valueBytes) {

	public TableSummary {
		valueBytes = Map.copyOf(valueBytes);
	}

	/** Bytes of the table and of the large values that it refers to. */
	public long bytesWithValues() {
		return this.sizeBytes + this.valueBytes.values().stream().mapToLong(Long::longValue).sum();
	}

	/** The same summary, for a file of another size. */
	TableSummary withSizeBytes(long newSizeBytes) {
		return new TableSummary(this.entries, this.tombstones, this.expiring, this.smallest, this.largest, this.oldest,
				this.newest, this.earliestExpiryMillis, this.highestSequence, newSizeBytes, this.valueBytes);
	}

	/** Whether the key lies within the bounds. */
	public boolean covers(Key key) {
		return key.compareTo(this.smallest) >= 0 && key.compareTo(this.largest) <= 0;
	}

	/** Whether the key ranges of the two tables overlap. */
	public boolean overlaps(TableSummary other) {
		return this.smallest.compareTo(other.largest) <= 0 && other.smallest.compareTo(this.largest) <= 0;
	}

}
