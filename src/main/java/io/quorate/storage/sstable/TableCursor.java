package io.quorate.storage.sstable;

import io.quorate.entry.Key;
import io.quorate.storage.record.KeyedEntry;
import org.jspecify.annotations.Nullable;

/** A position in the order of keys, used by one thread at a time. */
@FunctionalInterface
public interface TableCursor {

	/** The next entry, or {@code null} at the end. */
	@Nullable KeyedEntry next();

	/**
	 * A key before which no entry comes in the direction of the cursor, known before the
	 * first one is read, or {@code null} when that is not known.
	 */
	default @Nullable Key from() {
		return null;
	}

}
