package io.quorate.storage.sstable;

import io.quorate.storage.record.KeyedEntry;
import org.jspecify.annotations.Nullable;

/** A position in the order of keys, used by one thread at a time. */
@FunctionalInterface
public interface TableCursor {

	/** The next entry, or {@code null} at the end. */
	@Nullable KeyedEntry next();

}
