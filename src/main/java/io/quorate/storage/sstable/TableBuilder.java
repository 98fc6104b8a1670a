package io.quorate.storage.sstable;

import java.io.IOException;

import io.quorate.entry.Key;
import io.quorate.storage.record.StoredEntry;

/** Writes one sorted table, from one thread. */
public interface TableBuilder extends AutoCloseable {

	/**
	 * Adds the entry of the next key.
	 * @throws IllegalArgumentException when the key is not above the one before, the
	 * entry is larger than the format takes, or the table is as large as a table can be;
	 * nothing was added then, and the builder can go on
	 * @throws IllegalStateException when the table is finished, or could not be written
	 */
	void add(Key key, StoredEntry entry) throws IOException;

	/** Approximate size that the file will have, in bytes. */
	long sizeBytes();

	/** Number of entries added. */
	long entries();

	/**
	 * Completes the file, fsyncs it, moves it to its place and fsyncs the directory.
	 * @throws IllegalStateException when no entry was added
	 */
	TableSummary finish() throws IOException;

	/** Releases all resources; a table that was not finished leaves no file. */
	@Override
	void close() throws IOException;

}
