package io.quorate.storage;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;

/**
 * What a store held when it was {@linkplain Store#setAside() set aside}. It does not
 * change, and stays through restarts until it is discarded. Safe for any number of
 * threads; no method waits.
 */
public interface SetAsideData {

	/**
	 * Reads what was set aside like {@link Store#page}, but all of it: also what may be
	 * forgotten, since what it was compared with is not known any more. The stamps are
	 * those that were found on the disk: whoever takes an entry over judges its stamp. A
	 * table that is damaged is left out from the page on that meets the damage, and with
	 * it entries that may hide older ones of other tables; of value files only the values
	 * are left out that are damaged.
	 * @param start first key, inclusive
	 * @param end end of the range, exclusive, or {@code null} for the end
	 * @param callbacks runs the completion of the future
	 * @return fails with {@link StorageFailedException} when it was discarded
	 */
	CompletableFuture<ScanPage> page(Key start, @Nullable Key end, PageLimit limit, Executor callbacks);

	/** The tables that pages have left out so far. */
	List<Unread> unread();

	/**
	 * A table that is damaged.
	 *
	 * @param file where it is until it is discarded
	 * @param entries about how many entries it holds
	 * @param smallest its first key
	 * @param largest its last key
	 */
	record Unread(Path file, long entries, Key smallest, Key largest) {
	}

	/** About how many entries there are: each key at least once. */
	long entries();

	/** Bytes that it takes on the disk, large values not included. */
	long sizeBytes();

	/**
	 * Gives it up: its files are moved to a directory {@code aside/<instant>}, where
	 * nothing reads or deletes them. Doing it again does nothing. A process that ends
	 * meanwhile leaves it as it was or discarded as a whole; in the first case copies may
	 * be in such a directory already.
	 * @return completes when it is not there any more, also for the next start; fails
	 * with a {@link StorageException} when that could not be done, and may be tried again
	 */
	CompletableFuture<Void> discard();

}
