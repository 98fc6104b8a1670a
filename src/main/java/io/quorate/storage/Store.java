package io.quorate.storage;

import java.nio.file.Path;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import org.jspecify.annotations.Nullable;

/**
 * The durable, ordered store of one node.
 * <p>
 * Safe for any number of threads. No method does I/O on the calling thread or waits.
 * Cancelling a future does not stop its operation: a write once accepted runs to its end.
 * Futures fail with a {@link StorageException}.
 */
public interface Store extends AutoCloseable {

	/**
	 * Stores an entry, merged with the entry that is held of its key. An entry that may
	 * be purged, and is not read any more, still wins against older ones until a
	 * compaction drops it.
	 * @param callbacks runs the completion of the future; writes of one batch that name
	 * the same executor are completed by one task
	 * @return completes when the entry is as durable as {@code wal.sync} promises and
	 * visible to reads; fails with {@link StorageOverloadedException} or
	 * {@link DiskFullException} when nothing was written, with
	 * {@link StorageFailedException} when it may have been, unless that is a refusal
	 */
	CompletableFuture<ApplyResult> apply(Key key, Entry entry, Executor callbacks);

	/**
	 * Promises to take no entry of a key that is stamped below a ballot. It judges by the
	 * promises alone: whether an entry at or above the ballot is held is for the caller
	 * to read, after the promise was made.
	 * @param deadline that of the request, which the promise records
	 * @param callbacks as those of a write
	 * @return completes when the promise is on the disk, or is refused; the same ballot
	 * may be promised again. Fails with {@link StorageOverloadedException} when too many
	 * promises stand, else as a write does
	 */
	CompletableFuture<PromiseResult> promise(Key key, Timestamp ballot, Deadline deadline, Executor callbacks);

	/**
	 * Takes a promise back, if it stands: the key returns to the promise that it has
	 * replaced. It does so soon, unless the store is overloaded or has failed; then the
	 * promise stays. The call does not wait.
	 */
	void release(Key key, Timestamp ballot);

	/**
	 * The highest promise of a key that is on the disk and stands, or {@code null}. A
	 * promise is shown until the entry that ends it can be read; so a caller that needs
	 * both asks for the promise first. The call does not wait.
	 */
	@Nullable Promise promiseOf(Key key);

	/** The highest promise of each key. The call does not wait. */
	Collection<Promise> promises();

	/** The monotonic clock by which the instants of promises are counted. */
	default long nanoTime() {
		return System.nanoTime();
	}

	/**
	 * Reads the entry held of a key, tombstones and expired entries included, unless
	 * {@link PurgePolicy} permits to purge them. The future is complete on return when no
	 * table has to be read.
	 * @param callbacks runs the completion of the future when it is not complete on
	 * return
	 * @return completes with the entry, or with {@link ReadResult.Absent}; fails with
	 * {@link StorageCorruptedException} when the bytes to be read are damaged
	 */
	default CompletableFuture<ReadResult> read(Key key, Executor callbacks) {
		return read(key, Integer.MAX_VALUE, Deadline.none(), callbacks);
	}

	/**
	 * As {@link #read(Key, Executor)}, but a value of more bytes is not returned: no
	 * value file is read for it, and the result is {@link ReadResult.Summarized}.
	 * @param maxValueBytes most bytes of a value that are wanted
	 * @param deadline instant after which the caller needs no answer: a read that still
	 * waits for a thread then is not done, and fails with {@link StorageExpiredException}
	 * @param callbacks runs the completion of the future when it is not complete on
	 * return
	 */
	CompletableFuture<ReadResult> read(Key key, int maxValueBytes, Deadline deadline, Executor callbacks);

	/**
	 * Reads the entries of a range in its order, up to a limit, tombstones and expired
	 * ones included, unless {@link PurgePolicy} permits to purge them: so a page may be
	 * empty without being the last. Each page is read from the store as it is at that
	 * time, and keeps no resources.
	 * @param deadline as that of a read
	 * @param callbacks runs the completion of the future
	 */
	CompletableFuture<ScanPage> page(ScanRange range, PageLimit limit, Deadline deadline, Executor callbacks);

	/**
	 * As above, in ascending order.
	 * @param start first key, inclusive
	 * @param end end of the range, exclusive, or {@code null} for the end of the store
	 */
	default CompletableFuture<ScanPage> page(Key start, @Nullable Key end, PageLimit limit, Deadline deadline,
			Executor callbacks) {
		return page(ScanRange.ascending(start, end), limit, deadline, callbacks);
	}

	/** As above, without a deadline. */
	default CompletableFuture<ScanPage> page(Key start, @Nullable Key end, PageLimit limit, Executor callbacks) {
		return page(start, end, limit, Deadline.none(), callbacks);
	}

	/**
	 * As {@link #page}, but of each entry only its header: no value file is read. Of
	 * entries that differ only in a large value one is taken, the same each time.
	 * @param limit its bytes are those of keys and headers
	 * @param deadline as that of a read
	 * @param callbacks runs the completion of the future
	 */
	default CompletableFuture<HeaderPage> headers(ScanRange range, PageLimit limit, Deadline deadline,
			Executor callbacks) {
		return headers(range, 0, limit, deadline, callbacks);
	}

	/**
	 * As above, of the entries that have arrived behind a number. No page of a table
	 * without such an entry is read, unless the table may have a newer entry of a key
	 * that was found.
	 * @param above the number, 0 for all entries
	 */
	CompletableFuture<HeaderPage> headers(ScanRange range, long above, PageLimit limit, Deadline deadline,
			Executor callbacks);

	/**
	 * As above, in ascending order.
	 * @param start first key, inclusive
	 * @param end end of the range, exclusive, or {@code null} for the end of the store
	 */
	default CompletableFuture<HeaderPage> headers(Key start, @Nullable Key end, PageLimit limit, Deadline deadline,
			Executor callbacks) {
		return headers(ScanRange.ascending(start, end), limit, deadline, callbacks);
	}

	/** As above, without a deadline. */
	default CompletableFuture<HeaderPage> headers(Key start, @Nullable Key end, PageLimit limit, Executor callbacks) {
		return headers(start, end, limit, Deadline.none(), callbacks);
	}

	/**
	 * The latest arrivals. An acknowledged write is among them, as far as they are kept.
	 * The call does not wait.
	 */
	Arrivals arrivals();

	/**
	 * The highest sequence number up to which every entry is visible to reads and on the
	 * disk, as far as an fsync brings it there. It never goes back, restarts included,
	 * unless the directory was lost or replaced by an older one. It is behind the
	 * acknowledged writes when {@code wal.sync} is not {@code always}: until the next
	 * fsync with {@code interval}, until the next {@link #force} or {@link #flush} with
	 * {@code never}. The call does not wait.
	 */
	long durableSequence();

	/**
	 * Gives no entry that arrives from now on a sequence number up to this one: for data
	 * of which peers remember more than the directory holds.
	 * @return completes when that is so, also after a restart, and
	 * {@link #durableSequence} has reached the number
	 */
	CompletableFuture<Void> passSequence(long sequence);

	/**
	 * Fsyncs all writes that were acknowledged before, whatever {@code wal.sync} says:
	 * afterwards {@link #durableSequence} has reached them. Costs nothing when they are
	 * on the disk already.
	 * @return completes when they are on the disk
	 */
	CompletableFuture<Void> force();

	/**
	 * Flushes all memtables to tables, for a quick start and for tests; completes when
	 * done.
	 */
	CompletableFuture<Void> flush();

	/**
	 * Sets all data of the store aside: it is not read as the store's any more, and
	 * supersedes nothing. Entries that arrive meanwhile are held or set aside; those that
	 * arrive later are held. Data that was set aside before stays so. If the process ends
	 * meanwhile, everything is held or everything is set aside.
	 * @return completes with all data that is set aside then; fails with a
	 * {@link StorageException} when it is unknown until a restart which of the two is the
	 * case
	 */
	CompletableFuture<SetAsideData> setAside();

	/**
	 * The data that was set aside, since this or an earlier start, and is not discarded.
	 * The call does not wait.
	 */
	Optional<SetAsideData> aside();

	/**
	 * Takes note of the partitions that the node gains and loses with a version of the
	 * layout. What has arrived before of a gained partition, and all of a lost one, is
	 * from then on as if it were not there: it is not read and supersedes nothing, also
	 * in data that was set aside, in snapshots and after a restart, and goes when flushes
	 * and compactions come to it. What arrives during the call counts as before or as
	 * after. A partition that was lost and is gained has what arrives from then on.
	 * <p>
	 * A call for a version that is not above {@link #assignedVersion()} does nothing, so
	 * it may be repeated after a crash. Versions are assigned one after the other, none
	 * left out in which the node has lost a partition.
	 * @return completes when it is so, also after a restart; if the process ends before,
	 * it is so or it is not. Fails with a {@link StorageException} when it is unknown
	 * until a restart, or the next call, which of the two is the case
	 */
	CompletableFuture<Void> assign(ShareChange change);

	/**
	 * The highest version of the layout that was {@linkplain #assign assigned}, 0 for
	 * none. The call does not wait.
	 */
	long assignedVersion();

	/**
	 * Makes a snapshot: a directory of its own with all writes that were acknowledged
	 * before, and of later arrivals those up to some number, so that of each key it holds
	 * what the store held at one moment. Writes, flushes and compactions go on meanwhile.
	 * Files are hard links in it, or copies where the file system supports no hard links;
	 * the time that copies take is not bounded.
	 * <p>
	 * The snapshot is there whole and fsynced, or not at all; the remains of an
	 * interrupted one have a name that ends with {@code .tmp}. Files that it shares with
	 * the store keep their room on the disk when the store does not need them any more.
	 * @param directory where the snapshot is to be; nothing is there, and its parent
	 * directory exists
	 * @param records names of small files beside the store, replaced by their owners as a
	 * whole, that belong into the snapshot if they exist; read after everything in the
	 * tables
	 * @param progress receives the bytes of tables and large values that have their place
	 * in the snapshot, from when they are known
	 * @param worker runs the work that waits for the disk
	 * @return fails with {@link DiskFullException} when there is no room, with
	 * {@link StorageCorruptedException} when data for the snapshot is damaged, and with
	 * {@link StorageFailedException} when it cannot be written, or data is set aside
	 */
	CompletableFuture<Snapshot> backup(Path directory, Collection<String> records, FileProgress progress,
			Executor worker);

	/** Reason why no writes are taken until a restart, or {@code null} when they are. */
	@Nullable StorageException failure();

	/** The present state of the store. The call does not wait. */
	StoreStatus status();

	/**
	 * Refuses new writes, completes those that were accepted, and releases all resources.
	 * Waits until done.
	 */
	@Override
	void close();

}
