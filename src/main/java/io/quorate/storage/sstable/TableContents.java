package io.quorate.storage.sstable;

import java.util.HashMap;
import java.util.Map;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.Versioned;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.record.StoredEntry;
import org.jspecify.annotations.Nullable;

/** The contents so far of a table that is being written, of which its summary is made. */
final class TableContents {

	private final Map<Long, Long> valueBytes = new HashMap<>();

	private long entries;

	private long tombstones;

	private long expiring;

	private long earliestExpiryMillis = Versioned.NEVER;

	private long highestSequence;

	private @Nullable Key smallest;

	private @Nullable Key largest;

	private @Nullable Timestamp oldest;

	private @Nullable Timestamp newest;

	void add(Key key, StoredEntry entry) {
		this.entries++;
		this.smallest = (this.smallest != null) ? this.smallest : key;
		this.largest = key;
		this.highestSequence = Math.max(this.highestSequence, entry.sequence());
		addTimestamp(entry.timestamp());
		if (entry.isTombstone()) {
			this.tombstones++;
		}
		if (entry.expiryMillis() != Versioned.NEVER) {
			this.expiring++;
			this.earliestExpiryMillis = Math.min(this.earliestExpiryMillis, entry.expiryMillis());
		}
		if (entry.payload() instanceof Reference reference) {
			this.valueBytes.merge(reference.file(), (long) reference.length(), Long::sum);
		}
	}

	long entries() {
		return this.entries;
	}

	@Nullable Key largest() {
		return this.largest;
	}

	/**
	 * The summary, without the size of the file.
	 * @throws IllegalStateException when there is no entry
	 */
	TableSummary summary() {
		if (this.smallest == null || this.largest == null || this.oldest == null || this.newest == null) {
			throw new IllegalStateException("a table has at least one entry");
		}
		return new TableSummary(this.entries, this.tombstones, this.expiring, this.smallest, this.largest, this.oldest,
				this.newest, this.earliestExpiryMillis, this.highestSequence, 0, this.valueBytes);
	}

	private void addTimestamp(Timestamp timestamp) {
		if (this.oldest == null || this.oldest.isAfter(timestamp)) {
			this.oldest = timestamp;
		}
		if (this.newest == null || timestamp.isAfter(this.newest)) {
			this.newest = timestamp;
		}
	}

}
