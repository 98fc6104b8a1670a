package io.quorate.storage.sstable;

import io.quorate.storage.StorageCorruptedException;

/** A listener to events of tables, called by any thread; must not wait. */
public interface TableListener {

	/** A listener that ignores every event. */
	TableListener NONE = new TableListener() {

		@Override
		public void damaged(StorageCorruptedException damage) {
		}

		@Override
		public void keyLocated(boolean fromCache) {
		}

		@Override
		public void blockRead(boolean fromCache) {
		}

	};

	/** A read has found damage. */
	void damaged(StorageCorruptedException damage);

	/** A lookup got the position of its key from the cache, or had to search for it. */
	void keyLocated(boolean fromCache);

	/** A lookup has read a compressed block, from the cache or not. */
	void blockRead(boolean fromCache);

}
