package io.quorate.storage;

/**
 * A request was refused because a bound of the store was reached; nothing was done. A
 * later attempt may succeed.
 */
public final class StorageOverloadedException extends StorageException {

	private final Bound bound;

	/** The bound that was reached, and its limit. */
	public StorageOverloadedException(Bound bound, long limit) {
		super("%s at the limit of %d".formatted(bound.description, limit), null);
		this.bound = bound;
	}

	/** The bound that was reached. */
	public Bound bound() {
		return this.bound;
	}

	/** The bounded resources of a store. */
	public enum Bound {

		/** Promises that stand. */
		PROMISES("promises"),

		/** Writes in the queue of the log. */
		WRITES("writes waiting for the log"),

		/** Bytes in the queue of the log while it is slowed down. */
		SLOWED("bytes waiting for the log, which is slowed down until flushes and compactions have caught up,"),

		/** Writes in the queue of the value files. */
		LARGE_VALUES("large values waiting to be written"),

		/** Memtables besides the active one. */
		MEMTABLES("memtables waiting for flush"),

		/** Tables of level 0. */
		TABLES("tables waiting for compaction"),

		/** Log segments prepared in advance. */
		SEGMENTS("log segments prepared ahead"),

		/** Time that a write waits for a segment of the log. */
		SEGMENT_SECONDS("seconds that a write waits for a log segment"),

		/** Reads in the queue of the reader threads. */
		READS("reads waiting for the disk"),

		/** Pages of ranges in the queue of their threads. */
		PAGES("pages of ranges waiting for the disk"),

		/** Memory of large values that no caller has taken over yet. */
		VALUE_BYTES("bytes of values being read");

		private final String description;

		Bound(String description) {
			this.description = description;
		}

	}

}
