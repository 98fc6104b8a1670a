package io.quorate.storage;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;

/**
 * The durable, ordered store of one node.
 * <p>
 * Safe for any number of threads. No method does I/O on the calling thread or waits.
 * Futures are never cancelled underneath: whoever loses interest just stops listening,
 * and a write once accepted runs to its end. Futures fail with a
 * {@link StorageException}.
 */
public interface Store extends AutoCloseable {

	/**
	 * Stores an entry, merged with what is held of its key.
	 * @param callbacks runs the completion of the future; writes of one batch that name
	 * the same executor are completed by one task
	 * @return completes when the entry is as durable as {@code wal.sync} promises and
	 * visible to reads; fails with {@link StorageOverloadedException} or
	 * {@link DiskFullException} when nothing was written, with
	 * {@link StorageFailedException} when it may have been
	 */
	CompletableFuture<ApplyResult> apply(Key key, Entry entry, Executor callbacks);

	/**
	 * Reads the entry held of a key, tombstones and expired entries included. Answered on
	 * the spot when no table has to be asked.
	 * @param callbacks runs the completion of the future when it is not answered on the
	 * spot
	 * @return completes with the entry, or with {@link ReadResult.Absent}; fails with
	 * {@link StorageCorruptedException} when what would be read is damaged
	 */
	CompletableFuture<ReadResult> read(Key key, Executor callbacks);

	/**
	 * Reads the entries of a key range in order, tombstones and expired ones included, up
	 * to a limit. A page is read from the store as it is then and holds on to nothing.
	 * @param start first key, inclusive
	 * @param end end of the range, exclusive, or {@code null} for the end of the store
	 * @param callbacks runs the completion of the future
	 */
	CompletableFuture<ScanPage> page(Key start, @Nullable Key end, PageLimit limit, Executor callbacks);

	/**
	 * Writes what is in memory to tables, for a quick start and for tests; completes when
	 * done.
	 */
	CompletableFuture<Void> flush();

	/** Why no writes are taken until a restart, or {@code null} when they are. */
	@Nullable StorageException failure();

	/** How the store is at this moment; asks nobody and waits for nothing. */
	StoreStatus status();

	/**
	 * Stops taking writes, lets those accepted finish, and gives everything back. Waits
	 * until done.
	 */
	@Override
	void close();

}
