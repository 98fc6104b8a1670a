package io.quorate.storage.sstable;

import java.io.IOException;
import java.nio.file.Path;

/** A file format of sorted tables. */
public interface TableFormat {

	/**
	 * Starts a new table. Nothing stands at {@code file} before the table is finished.
	 * @param file where the finished table is to stand; {@code file} with {@code .tmp}
	 * appended is written meanwhile
	 * @param expectedEntries how many entries will be added at the most, for the size of
	 * the Bloom filter
	 */
	TableBuilder create(Path file, long expectedEntries) throws IOException;

	/**
	 * Opens a finished table, verifying its footer and all that is read to open it.
	 * @throws io.quorate.storage.StorageCorruptedException when it is damaged
	 */
	SortedTable open(Path file) throws IOException;

}
