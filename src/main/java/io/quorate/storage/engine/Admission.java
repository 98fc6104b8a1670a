package io.quorate.storage.engine;

import io.quorate.storage.DiskFullException;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.StorageOverloadedException.Bound;
import io.quorate.storage.StorageProperties;

/** Whether a store has room for another write. Looks, and waits for nothing. */
final class Admission {

	private final Views views;

	private final DiskSpace disk;

	private final StorageProperties properties;

	Admission(Views views, DiskSpace disk, StorageProperties properties) {
		this.views = views;
		this.disk = disk;
		this.properties = properties;
	}

	/**
	 * Does nothing as long as there is room.
	 * @throws DiskFullException when there is none on the disk
	 * @throws StorageOverloadedException when flushes or compactions have to catch up
	 */
	void requireRoom() {
		this.disk.requireRoom();
		View view = this.views.peek();
		if (view.levelZeroTables() >= this.properties.maxLevelZeroTables()) {
			throw new StorageOverloadedException(Bound.TABLES, this.properties.maxLevelZeroTables());
		}
		if (view.sealed().size() >= this.properties.maxMemtables() && isFull(view, 1)) {
			throw new StorageOverloadedException(Bound.MEMTABLES, this.properties.maxMemtables());
		}
	}

	/** Whether the active memtable takes so large a part of what one may. */
	boolean isMemtableFull(double share) {
		return isFull(this.views.peek(), share);
	}

	private boolean isFull(View view, double share) {
		return view.active().memtable().sizeBytes() >= share * this.properties.memtableSize().toBytes();
	}

}
