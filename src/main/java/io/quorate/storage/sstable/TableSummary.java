package io.quorate.storage.sstable;

import java.util.Map;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;

/**
 * The summary of a table, which its footer holds.
 *
 * @param highestSequence latest arrival in the store
 * @param sizeBytes size of the whole file
 * @param valueBytes number of bytes that are referred to, by the number of the value file
 */
public record TableSummary(Counts counts, Keys keys, Times times, long highestSequence, long sizeBytes,
		Map<Long, Long> valueBytes) {

	public TableSummary {
		valueBytes = Map.copyOf(valueBytes);
	}

	/**
	 * The numbers of entries.
	 *
	 * @param entries number of all entries, at least 1
	 * @param tombstones number of tombstones among them
	 * @param expiring number of entries with an expiry among them
	 */
	public record Counts(long entries, long tombstones, long expiring) {
	}

	/**
	 * The first and the last key.
	 */
	public record Keys(Key smallest, Key largest) {
	}

	/**
	 * The bounds of the entries in time.
	 *
	 * @param oldest earliest timestamp
	 * @param newest latest timestamp
	 * @param earliestExpiryMillis the earliest expiry, {@link Long#MAX_VALUE} without any
	 */
	public record Times(Timestamp oldest, Timestamp newest, long earliestExpiryMillis) {
	}

	/** Bytes of the table and of the large values that it refers to. */
	public long bytesWithValues() {
		return this.sizeBytes + this.valueBytes.values().stream().mapToLong(Long::longValue).sum();
	}

	/** The same summary, for a file of another size. */
	TableSummary withSizeBytes(long newSizeBytes) {
		return new TableSummary(this.counts, this.keys, this.times, this.highestSequence, newSizeBytes,
				this.valueBytes);
	}

	/** Whether the key lies within the bounds. */
	public boolean covers(Key key) {
		return key.compareTo(this.keys.smallest) >= 0 && key.compareTo(this.keys.largest) <= 0;
	}

	/** Whether the key ranges of the two tables overlap. */
	public boolean overlaps(TableSummary other) {
		return this.keys.smallest.compareTo(other.keys.largest) <= 0
				&& other.keys.smallest.compareTo(this.keys.largest) <= 0;
	}

}
