package io.quorate.repair.hint;

import java.nio.ByteBuffer;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.log.Batches;
import io.quorate.storage.log.LogFormat;
import io.quorate.storage.record.MalformedEntryException;
import io.quorate.storage.record.StoredEntry.Deleted;
import io.quorate.storage.record.StoredEntry.Inline;
import io.quorate.storage.record.StoredEntry;

/**
 * An entry that a member has missed. In a file each hint is a batch of one record, so
 * that damage destroys only the hints that it hits.
 */
record Hint(Key key, StoredEntry stored) {

	/** Most bytes of one hint in a file. */
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

	/** Time at which the entry was written, in milliseconds since the epoch. */
	long millis() {
		return this.stored.timestamp().millis();
	}

	/** Bytes of the hint in a file. */
	int sizeBytes() {
		return Batches.align(Batches.HEADER + LogFormat.recordSize(this.key, this.stored));
	}

	/**
	 * Writes the hint at the buffer's position, a multiple of the alignment.
	 * @param forced offset up to which the segment is known to be on the disk
	 */
	void write(ByteBuffer to, Batches segment, long forced) {
		int start = to.position();
		to.position(start + Batches.HEADER);
		LogFormat.writeRecord(this.key, this.stored, to);
		segment.finish(to, start, 1, forced);
	}

}
