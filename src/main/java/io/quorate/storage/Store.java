package io.quorate.storage;

import java.nio.file.Path;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.quorate.clock.Deadline;
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
	 * Stores an entry, merged with what is held of its key. What may be forgotten and is
	 * not read any more still wins against what is older, until a compaction drops it.
	 * @param callbacks runs the completion of the future; writes of one batch that name
	 * the same executor are completed by one task
	 * @return completes when the entry is as durable as {@code wal.sync} promises and
	 * visible to reads; fails with {@link StorageOverloadedException} or
	 * {@link DiskFullException} when nothing was written, with
	 * {@link StorageFailedException} when it may have been
	 */
	CompletableFuture<ApplyResult> apply(Key key, Entry entry, Executor callbacks);

	/**
	 * Reads the entry held of a key, tombstones and expired entries included, unless
	 * {@link PurgePolicy} permits to forget them. Answered on the spot when no table has
	 * to be asked.
	 * @param callbacks runs the completion of the future when it is not answered on the
	 * spot
	 * @return completes with the entry, or with {@link ReadResult.Absent}; fails with
	 * {@link StorageCorruptedException} when what would be read is damaged
	 */
	default CompletableFuture<ReadResult> read(Key key, Executor callbacks) {
		return read(key, Integer.MAX_VALUE, Deadline.none(), callbacks);
	}

	/**
	 * As {@link #read(Key, Executor)}, but a value of more bytes is left where it is: no
	 * value file is read for it, and {@link ReadResult.Summarized} is given instead.
	 * @param maxValueBytes most bytes of a value that are wanted
	 * @param deadline when nobody waits for the answer any more: what waits for its turn
	 * until then is not done, and fails with {@link StorageExpiredException}
	 * @param callbacks runs the completion of the future when it is not answered on the
	 * spot
	 */
	CompletableFuture<ReadResult> read(Key key, int maxValueBytes, Deadline deadline, Executor callbacks);

	/**
	 * Reads the entries of a key range in order, up to a limit, tombstones and expired
	 * ones included, unless {@link PurgePolicy} permits to forget them: so a page may be
	 * empty, and not be the last. A page is read from the store as it is then and holds
	 * on to nothing.
	 * @param start first key, inclusive
	 * @param end end of the range, exclusive, or {@code null} for the end of the store
	 * @param deadline as that of a read
	 * @param callbacks runs the completion of the future
	 */
	CompletableFuture<ScanPage> page(Key start, @Nullable Key end, PageLimit limit, Deadline deadline,
			Executor callbacks);

	/** As above, awaited however long it takes. */
	default CompletableFuture<ScanPage> page(Key start, @Nullable Key end, PageLimit limit, Executor callbacks) {
		return page(start, end, limit, Deadline.none(), callbacks);
	}

	/**
	 * As {@link #page}, but of each entry only what identifies it: no value file is read.
	 * Of entries that differ in nothing but a large value one is taken, the same each
	 * time.
	 * @param start first key, inclusive
	 * @param end end of the range, exclusive, or {@code null} for the end of the store
	 * @param limit its bytes are those of keys and headers
	 * @param deadline as that of a read
	 * @param callbacks runs the completion of the future
	 */
	CompletableFuture<HeaderPage> headers(Key start, @Nullable Key end, PageLimit limit, Deadline deadline,
			Executor callbacks);

	/** As above, awaited however long it takes. */
	default CompletableFuture<HeaderPage> headers(Key start, @Nullable Key end, PageLimit limit, Executor callbacks) {
		return headers(start, end, limit, Deadline.none(), callbacks);
	}

	/**
	 * The highest sequence number up to which every entry is on the disk, as far as a
	 * force brings it there, and visible to reads. Never goes back, restarts included,
	 * unless the directory was lost or replaced by an older one. Stays behind what was
	 * acknowledged when {@code wal.sync} is not {@code always}: until the next force with
	 * {@code interval}, until the next {@link #force} or {@link #flush} with
	 * {@code never}. Asks nobody and waits for nothing.
	 */
	long durableSequence();

	/**
	 * Gives no entry that arrives from now on a sequence number up to this one: for data
	 * of which others remember more than there is.
	 * @return completes when that is so, also after a restart, and
	 * {@link #durableSequence} has reached it
	 */
	CompletableFuture<Void> passSequence(long sequence);

	/**
	 * Brings to the disk what was acknowledged before, whatever {@code wal.sync} says:
	 * afterwards {@link #durableSequence} has reached it. Costs nothing when it is there
	 * already.
	 * @return completes when it is on the disk
	 */
	CompletableFuture<Void> force();

	/**
	 * Writes what is in memory to tables, for a quick start and for tests; completes when
	 * done.
	 */
	CompletableFuture<Void> flush();

	/**
	 * Puts everything aside that is held: it is not read as the store's any more, and
	 * supersedes nothing. What arrives meanwhile is held or put aside, what arrives later
	 * is held. What was aside before stays so. A process that ends meanwhile leaves
	 * everything held or everything aside.
	 * @return completes with all that is aside then; fails with a
	 * {@link StorageException} when it cannot be told, before a restart, which of both it
	 * is
	 */
	CompletableFuture<SetAsideData> setAside();

	/**
	 * What was set aside, since this or an earlier start, and is not discarded. Waits for
	 * nothing.
	 */
	Optional<SetAsideData> aside();

	/**
	 * Makes a snapshot: a directory of its own with all that was acknowledged before, and
	 * of later arrivals those up to some number, so that of each key it holds what the
	 * store held at one moment. Writes, flushes and compactions go on meanwhile; files
	 * have second names (hard links) in it, or are copied where the file system cannot
	 * give any, which takes as long as it takes.
	 * <p>
	 * It is there whole and forced or not at all; what an interrupted one leaves ends
	 * with {@code .tmp}. Files that it shares with the store keep their room on the disk
	 * when the store does not need them any more.
	 * @param directory where it is to be; nothing is there, and the directory above is
	 * @param records names of small files beside the store, replaced by their owners as a
	 * whole, that belong into it if they are there; read after all that is in the tables
	 * @param worker runs what waits for the disk
	 * @return fails with {@link DiskFullException} when there is no room, with
	 * {@link StorageCorruptedException} when what would be in it is damaged, and with
	 * {@link StorageFailedException} when it cannot be written, or something is set aside
	 */
	CompletableFuture<Snapshot> backup(Path directory, Collection<String> records, Executor worker);

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
