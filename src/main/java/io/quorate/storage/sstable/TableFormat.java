package io.quorate.storage.sstable;

import java.io.IOException;
import java.nio.file.Path;

import io.quorate.storage.Compression;
import io.quorate.storage.file.NumberedFiles;

/** A file format of sorted tables. */
public interface TableFormat {

	/** The names of the files of tables. */
	NumberedFiles FILES = new NumberedFiles(".sst");

	/**
	 * Starts a new table. Nothing stands at {@code file} before the table is finished.
	 * @param file where the finished table is to stand; {@code file} with {@code .tmp}
	 * appended is written meanwhile
	 * @param expectedEntries approximate number of entries that will be added; a wrong
	 * guess costs some memory while the table is written and nothing else
	 * @param compression of its entries; whatever it is, every program of this version
	 * can read it
	 * @param share the share of the table's input that is in the page cache: where it is
	 * next to nothing, the new file does not stay there either
	 * @throws java.nio.file.FileAlreadyExistsException when something stands at
	 * {@code file}
	 */
	TableBuilder create(Path file, long expectedEntries, Compression compression, PageCacheShare share)
			throws IOException;

	/** Starts a new table, which stays in the page cache. */
	default TableBuilder create(Path file, long expectedEntries, Compression compression) throws IOException {
		return create(file, expectedEntries, compression, new PageCacheShare());
	}

	/**
	 * Opens a finished table, verifying its footer and all bytes that are read to open
	 * it.
	 * @throws io.quorate.storage.StorageCorruptedException when it is damaged
	 * @throws io.quorate.storage.StorageStartException when it is of a version of the
	 * format that this program does not read
	 */
	SortedTable open(Path file) throws IOException;

}
