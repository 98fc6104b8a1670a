package io.quorate.storage.wal;

/**
 * Receives each event of the log while it happens, on the log's thread; refusals after
 * the log has ended arrive on any thread.
 */
public interface LogListener {

	/** A batch was written to the segment. */
	void appended(long sizeBytes);

	/**
	 * An fsync of the appended batches, and of the values that they refer to, is
	 * complete.
	 */
	void forced(long nanos);

	/** A write failed, or was refused. */
	void refused(RuntimeException cause);

}
