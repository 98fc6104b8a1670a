package io.quorate.storage.wal;

/**
 * Is told what the log does while it does it, on its thread; of refusals after its end on
 * any thread.
 */
public interface LogListener {

	/** A batch takes up a write that was handed over so long ago. */
	void waited(long nanos);

	/** The log has paused so that flushes and compactions can follow. */
	void paused(long nanos);

	/** A batch stands in the segment. */
	void appended(int records, long sizeBytes);

	/** The disk has what was appended, and the values that it refers to. */
	void forced(long nanos);

	/** A write is told that it failed, or that it was refused. */
	void refused(RuntimeException cause);

}
