package io.quorate.storage.sstable;

import io.quorate.storage.StorageCorruptedException;

/** Is told what happens to tables, by any thread; must not wait. */
public interface TableListener {

	/** For tables that nobody watches. */
	TableListener NONE = new TableListener() {

		@Override
		public void damaged(StorageCorruptedException damage) {
		}

		@Override
		public void written(long contentBytes, long storedBytes) {
		}

		@Override
		public void keyLocated(boolean fromCache) {
		}

		@Override
		public void blockRead(boolean fromCache) {
		}

	};

	/** Something that was read is not what was written. */
	void damaged(StorageCorruptedException damage);

	/**
	 * A table was written.
	 * @param contentBytes size of its blocks before they were compressed
	 * @param storedBytes size of its blocks in the file
	 */
	void written(long contentBytes, long storedBytes);

	/** A lookup was told where its key is, or had to search for it. */
	void keyLocated(boolean fromCache);

	/** A lookup has asked for a block that is compressed. */
	void blockRead(boolean fromCache);

}
