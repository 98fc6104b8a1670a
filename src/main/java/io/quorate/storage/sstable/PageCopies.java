package io.quorate.storage.sstable;

/** A way to copy pages of a table, each verified as it was copied. */
@FunctionalInterface
interface PageCopies {

	/**
	 * Copies a page.
	 * @param to has a page's size
	 * @throws io.quorate.storage.StorageCorruptedException when it is damaged
	 */
	void copy(int page, byte[] to);

}
