package io.quorate.storage;

/**
 * A summary of a store's state, for operators.
 *
 * @param waitingMemtables memtables that wait for their flush
 */
public record StoreStatus(Disk disk, int waitingMemtables, Tables tables, Held held) {

	/**
	 * The room on the disk.
	 *
	 * @param freeBytes bytes that may still be written
	 * @param requiredBytes free space below which writes are refused
	 */
	public record Disk(long freeBytes, long requiredBytes) {

		/** Whether writes are refused. */
		public boolean isFull() {
			return this.freeBytes < this.requiredBytes;
		}

	}

	/**
	 * The numbers of tables.
	 *
	 * @param all all tables
	 * @param levelZero those of them that wait for compaction
	 * @param quarantined those of them that are damaged and answer for no key
	 * @param cleanupBytes size of those that may have entries of partitions that the node
	 * has lost, or had before it gained them
	 */
	public record Tables(int all, int levelZero, int quarantined, long cleanupBytes) {
	}

	/**
	 * The amounts that the store holds.
	 *
	 * @param entries entries in memtables and tables, older ones of a key included
	 * @param bytes bytes of memtables, tables and the large values that they refer to
	 */
	public record Held(long entries, long bytes) {
	}

}
