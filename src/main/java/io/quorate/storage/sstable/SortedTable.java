package io.quorate.storage.sstable;

import java.io.IOException;

import io.quorate.entry.Key;
import io.quorate.storage.record.StoredEntry;
import org.jspecify.annotations.Nullable;

/**
 * An open sorted table. Safe for any number of threads, until it is closed; the owner
 * sees to it that nobody reads then.
 * <p>
 * Every method that looks at pages fails with
 * {@link io.quorate.storage.StorageCorruptedException} instead of answering from a
 * damaged one, and may wait for the disk.
 */
public interface SortedTable extends AutoCloseable {

	/** What the footer says. */
	TableSummary summary();

	/** About how large the file would be if nothing in it were compressed. */
	long uncompressedBytes();

	/**
	 * Whether the key may be there, by bounds and Bloom filter: without I/O.
	 * @param hash the key's {@link Key#hash64()}
	 */
	boolean mayContain(Key key, long hash);

	/** The entry of a key, or {@code null}. */
	@Nullable StoredEntry get(Key key);

	/**
	 * Goes through the entries in key order from {@code start}, inclusive, to the end.
	 */
	TableCursor cursor(@Nullable Key start);

	/**
	 * Reads the whole file and compares every checksum.
	 * @return number of bytes verified
	 */
	long verify() throws IOException;

	/** Takes the mapping away. Closing again does nothing. */
	@Override
	void close();

}
