package io.quorate.storage;

/**
 * A summary of a store's state, for operators.
 *
 * @param freeBytes bytes that may still be written to the disk
 * @param requiredBytes free space below which writes are refused
 * @param waitingMemtables memtables that wait for their flush
 * @param tables all tables
 * @param levelZeroTables those of them that wait for compaction
 * @param quarantinedTables those of them that are damaged and answer for no key
 * @param cleanupBytes size of those that may have entries of partitions that the node has
 * lost, or had before it gained them
 * @param heldEntries entries in memtables and tables, older ones of a key included
 * @param heldBytes bytes of memtables, tables and the large values that they refer to
 */
public record StoreStatus(long freeBytes, long requiredBytes, int waitingMemtables, int tables, int levelZeroTables,
		int quarantinedTables, long cleanupBytes, long heldEntries, long heldBytes) {
}
