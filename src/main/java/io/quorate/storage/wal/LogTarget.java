package io.quorate.storage.wal;

import java.io.IOException;
import java.util.List;

import io.quorate.entry.Key;
import io.quorate.storage.StorageException;
import io.quorate.storage.StorageFailedException;
import org.jspecify.annotations.Nullable;

/**
 * The receiver of the batches that the log has written; called on the log's thread alone.
 */
public interface LogTarget {

	/** The present bounds on the speed of the log. */
	LogThrottle pace();

	/**
	 * Whether the memtable is full.
	 * @param share of its size that may be used
	 */
	boolean wantsRotation(double share);

	/** Whether another memtable may be begun. */
	boolean mayRotate();

	/** Number of memtables that may wait for their flush. */
	int maxMemtables();

	/** Whether the store has lost the partition of a key, and so its promises. */
	boolean hasLost(Key key);

	/** Another segment, and so another memtable, has begun. */
	void rotated(long segment);

	/**
	 * Fsyncs values to which records of the log refer.
	 * @return {@code null} when they are on the disk; else the failure for the writes:
	 * there is no room on the disk, and the values are not lost
	 */
	@Nullable StorageException forceValues() throws IOException;

	/** Makes a durable batch visible and resolves each of its writes. */
	void written(List<LogWrite> batch);

	/** The log has failed. */
	void failed(StorageFailedException cause);

}
