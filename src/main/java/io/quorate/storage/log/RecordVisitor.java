package io.quorate.storage.log;

import io.quorate.entry.Key;
import io.quorate.storage.record.StoredEntry;

/** Receives the records of a batch. */
@FunctionalInterface
public interface RecordVisitor {

	/** The next record. */
	void record(Key key, StoredEntry entry);

}
