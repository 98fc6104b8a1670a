package io.quorate.storage.sstable;

import java.util.Arrays;
import java.util.zip.CRC32C;

import io.quorate.storage.record.StoredEntry;
import org.mapdb.SortedTableMap;

/**
 * The index of an open table, taken from MapDB's own index in memory: the number of
 * entries and pages, and the first key of each page, by which a page is found.
 */
final class PageIndex {

	private final SortedTableMap<byte[], StoredEntry> map;

	private final Object[] pageKeys;

	PageIndex(SortedTableMap<byte[], StoredEntry> map, KeyNodeSerializer keys) {
		this.map = map;
		this.pageKeys = keys.pageKeys();
	}

	/**
	 * CRC32C of the whole index. MapDB makes the index of pages that are not verified
	 * yet: the index is right if its checksum is the same as when the table was written.
	 */
	int checksum() {
		CRC32C crc = new CRC32C();
		update(crc, this.map.getSizeLong());
		update(crc, this.map.getPageSize());
		update(crc, this.map.getPageCount());
		for (Object pageKey : this.pageKeys) {
			byte[] key = (byte[]) pageKey;
			update(crc, key.length);
			crc.update(key);
		}
		return (int) crc.getValue();
	}

	/** Number of pages. */
	int pages() {
		return this.pageKeys.length;
	}

	/** The first key of a page; not to be changed. */
	byte[] firstKey(int page) {
		return (byte[]) this.pageKeys[page];
	}

	/** Number of the page that holds a key, if any does. */
	int pageOf(byte[] key) {
		int found = Arrays.binarySearch(this.pageKeys, key,
				(left, right) -> Arrays.compareUnsigned((byte[]) left, (byte[]) right));
		return (found >= 0) ? found : Math.max(0, -found - 2);
	}

	private static void update(CRC32C crc, long value) {
		for (int shift = Long.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
			crc.update((int) (value >>> shift) & 0xff);
		}
	}

}
