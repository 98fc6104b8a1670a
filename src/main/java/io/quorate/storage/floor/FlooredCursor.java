package io.quorate.storage.floor;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.Versioned;
import io.quorate.storage.record.KeyedEntry;
import io.quorate.storage.record.StoredEntry.Deleted;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.sstable.TableCursor;
import org.jspecify.annotations.Nullable;

/**
 * A cursor that has a mark in the place of each hidden entry. The mark loses against each
 * entry in a merge, and the reader of the result leaves it out. So a reader that bounds
 * its work counts hidden entries, too.
 */
public final class FlooredCursor implements TableCursor {

	private static final StoredEntry HIDDEN = new StoredEntry(0, Timestamp.ZERO, Versioned.NEVER, 1, Deleted.INSTANCE);

	private final TableCursor cursor;

	private final Floors floors;

	/** A cursor over the entries of another one. */
	public FlooredCursor(TableCursor cursor, Floors floors) {
		this.cursor = cursor;
		this.floors = floors;
	}

	/** Whether an entry is the mark. */
	@SuppressWarnings("ReferenceEquality") // an entry of a client may have the same
											// fields
	public static boolean isHidden(KeyedEntry entry) {
		return entry.entry() == HIDDEN;
	}

	@Override
	public @Nullable KeyedEntry next() {
		KeyedEntry next = this.cursor.next();
		return (next != null && this.floors.hides(next.key().hash64(), next.entry().sequence()))
				? new KeyedEntry(next.key(), HIDDEN) : next;
	}

	@Override
	public @Nullable Key from() {
		return this.cursor.from();
	}

}
