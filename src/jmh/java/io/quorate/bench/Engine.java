package io.quorate.bench;

/** A store as measurements use it, of either engine. Safe for any number of threads. */
interface Engine extends AutoCloseable {

	/** Writes a record; returns when it is as durable as the engine was opened for. */
	void put(byte[] key, byte[] value) throws Exception;

	/**
	 * Writes a record, at the engine's leisure: {@link #settle()} waits for it.
	 */
	void load(byte[] key, byte[] value) throws Exception;

	/** Waits for what was loaded, and until it lies in tables. */
	void settle() throws Exception;

	/** What merges of tables have done, of one that was opened to count them. */
	CompactionProfiler.Merged merged();

	/** Size of the value of a key, or -1 when there is none. */
	int get(byte[] key) throws Exception;

	/** Reads up to {@code limit} records from a key on; returns their number. */
	int scan(byte[] start, int limit) throws Exception;

	@Override
	void close();

}
