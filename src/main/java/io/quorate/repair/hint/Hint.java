package io.quorate.repair.hint;

import java.nio.ByteBuffer;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.log.Batches;
import io.quorate.storage.log.LogFormat;
import io.quorate.storage.record.MalformedEntryException;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.record.StoredEntry.Deleted;
import io.quorate.storage.record.StoredEntry.Inline;

/**
 * An entry that a member has missed. In a file it is a batch of one record, so that
 * damage takes no more than the hints that it hits.
 */
record Hint(Key key, StoredEntry stored) {

	/** The most that one takes in a file. */
	static final int MAX_SIZE_BYTES = (16 << 20) + 4096;

	static Hint of(Key key, Entry entry) {
		return new Hint(key, StoredEntry.of(entry, switch (entry) {
			case Entry.Live live -> new Inline(live.value());
			case Entry.Tombstone _ -> Deleted.INSTANCE;
		}));
	}

	Entry entry() {
		return this.stored.toEntry(Hint::value);
	}

	private static Value value(StoredEntry stored) {
		if (stored.payload() instanceof Inline(var value)) {
			return value;
		}
		throw new MalformedEntryException("a hint without its value");
	}

	/** When it was written, in milliseconds since the epoch. */
	long millis() {
		return this.stored.timestamp().millis();
	}

	/** What it takes in a file. */
	int sizeBytes() {
		return Batches.align(Batches.HEADER + LogFormat.recordSize(this.key, this.stored));
	}

	/**
	 * Writes it at the buffer's position, a multiple of the alignment.
	 * @param forced how far the segment is known to be on the disk
	 */
	void write(ByteBuffer to, Batches segment, long forced) {
		int start = to.position();
		to.position(start + Batches.HEADER);
		LogFormat.writeRecord(this.key, this.stored, to);
		segment.finish(to, start, 1, forced);
	}

}
