package io.quorate.storage.wal;

/**
 * Receives each event of the log while it happens, on the log's thread; refusals after
 * the log has ended arrive on any thread.
 */
public interface LogListener {

	/** A batch takes up a write, so long after the write was submitted. */
	void waited(long nanos);

	/** The log has paused so that flushes and compactions can follow. */
	void paused(long nanos);

	/** A batch was written to the segment. */
	void appended(int records, long sizeBytes);

	/**
	 * An fsync of the appended batches, and of the values that they refer to, is
	 * complete.
	 */
	void forced(long nanos);

	/** A write failed, or was refused. */
	void refused(RuntimeException cause);

}
