package io.quorate.storage;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;

/**
 * The data that a store held when it was {@linkplain Store#setAside() set aside}. It does
 * not change, and stays through restarts until it is discarded. Safe for any number of
 * threads; no method waits.
 */
public interface SetAsideData {

	/**
	 * Reads the set-aside data like {@link Store#page}, but all of it: also what may be
	 * purged, since the entries that it was compared with are not known any more. The
	 * timestamps are those that were found on the disk: a caller that takes an entry over
	 * judges its timestamp. A damaged table is left out from the page on that meets the
	 * damage, and with it entries that may hide older ones of other tables. Of value
	 * files, only the damaged values are left out.
	 * @param start first key, inclusive
	 * @param end end of the range, exclusive, or {@code null} for the end
	 * @param callbacks runs the completion of the future
	 * @return fails with {@link StorageFailedException} when the data was discarded
	 */
	CompletableFuture<ScanPage> page(Key start, @Nullable Key end, PageLimit limit, Executor callbacks);

	/** The tables that pages have left out so far. */
	List<Unread> unread();

	/**
	 * A damaged table.
	 *
	 * @param file where it is until it is discarded
	 * @param entries approximate number of its entries
	 * @param smallest its first key
	 * @param largest its last key
	 */
	record Unread(Path file, long entries, Key smallest, Key largest) {
	}

	/** Approximate number of entries; each key counts at least once. */
	long entries();

	/** Bytes that the data takes on the disk, large values not included. */
	long sizeBytes();

	/**
	 * Discards the data: its files are moved to a directory {@code aside/<instant>},
	 * where nothing reads or deletes them. A second call does nothing. If the process
	 * ends meanwhile, the data is either as it was, or discarded as a whole; in the first
	 * case, copies may be in such a directory already.
	 * @return completes when the data is gone, also for the next start; fails with a
	 * {@link StorageException} when that could not be done, and may be tried again
	 */
	CompletableFuture<Void> discard();

}
