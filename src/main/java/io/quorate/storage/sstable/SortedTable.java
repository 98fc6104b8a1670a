package io.quorate.storage.sstable;

import java.io.IOException;
import java.util.function.Consumer;

import io.quorate.entry.Key;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.file.ReadPace;
import io.quorate.storage.file.UncachedReader;
import io.quorate.storage.record.StoredEntry;
import org.jspecify.annotations.Nullable;

/**
 * An open sorted table. Safe for any number of threads, until it is closed; the owner
 * makes sure that no thread reads it then.
 * <p>
 * Every method that looks at pages fails with {@link StorageCorruptedException} instead
 * of answering from a damaged one, and may wait for the disk.
 */
public interface SortedTable extends AutoCloseable {

	/** The summary in the footer. */
	TableSummary summary();

	/** Approximate size of the file if nothing in it were compressed, in bytes. */
	long uncompressedBytes();

	/**
	 * Whether the key may be there, by bounds and Bloom filter: without I/O.
	 * @param hash the key's {@link Key#hash64()}
	 */
	boolean mayContain(Key key, long hash);

	/**
	 * Whether {@link #get} of the key waits for nothing now: the page that it reads is in
	 * memory and needs no verification. No more than very likely, as the kernel may evict
	 * a page at any time.
	 * @param hash the key's {@link Key#hash64()}
	 */
	boolean isInMemory(Key key, long hash);

	/**
	 * The entry of a key, or {@code null}.
	 * @param hash the key's {@link Key#hash64()}
	 */
	@Nullable StoredEntry get(Key key, long hash);

	/** The entry of a key, or {@code null}. */
	default @Nullable StoredEntry get(Key key) {
		return get(key, key.hash64());
	}

	/**
	 * Goes through the entries in key order from {@code start}, inclusive, to the end.
	 * Each page is verified when the cursor comes to it, even if it was verified before,
	 * and so is the order of keys.
	 */
	TableCursor cursor(@Nullable Key start);

	/**
	 * Goes through the entries in descending order of keys, from the last one below
	 * {@code end}, or the last of all, to the first; with the same verification as
	 * {@link #cursor}.
	 */
	TableCursor descending(@Nullable Key end);

	/**
	 * Goes through all entries, like {@link #cursor}, for a reader that does so once:
	 * pages that are not in memory do not enter the page cache.
	 * @param reader used by this cursor and others of the same thread
	 * @param share counts the pages that were in memory; of this cursor and others of the
	 * thread
	 */
	TableCursor wholeOnce(UncachedReader reader, PageCacheShare share);

	/**
	 * Goes through the entries on all pages that are intact, in key order, and leaves the
	 * damaged ones out.
	 * @param damaged receives the damage of each page that is left out
	 */
	TableCursor intact(Consumer<StorageCorruptedException> damaged);

	/**
	 * Reads the whole file, past caches where that is possible, and compares every
	 * checksum.
	 * @param damaged receives the damage of each page, and of the footer
	 * @return number of bytes verified
	 */
	long verify(UncachedReader reader, Consumer<StorageCorruptedException> damaged) throws IOException;

	/**
	 * Reads the whole file and compares every checksum.
	 * @return number of bytes verified
	 * @throws StorageCorruptedException when one is wrong
	 */
	default long verify() throws IOException {
		return verify(new UncachedReader(ReadPace.NONE), (damage) -> {
			throw damage;
		});
	}

	/** Unmaps the file. Closing again does nothing. */
	@Override
	void close();

}
