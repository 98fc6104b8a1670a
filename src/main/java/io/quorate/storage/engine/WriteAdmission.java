package io.quorate.storage.engine;

import java.util.function.LongSupplier;

import io.quorate.storage.DiskFullException;
import io.quorate.storage.StorageOverloadedException.Bound;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.wal.LogThrottle;

/**
 * The admission of writes to a store, by the room in memory, in level 0 and on the disk.
 * It waits for nothing.
 */
final class WriteAdmission {

	private final Views views;

	private final DiskSpace disk;

	private final StorageProperties properties;

	private final WriteThrottling writeThrottling;

	/* Bound on the large values of a memtable: the size of one value file. */
	private final long valueBytes;

	private final LongSupplier debtBytes;

	/**
	 * An admission.
	 * @param debtBytes bytes that the compactions which are due and cannot be begun would
	 * read
	 */
	WriteAdmission(Views views, DiskSpace disk, StorageProperties properties, LongSupplier debtBytes) {
		this.views = views;
		this.disk = disk;
		this.properties = properties;
		this.writeThrottling = WriteThrottling.of(properties);
		this.valueBytes = properties.valueFileSize().toBytes();
		this.debtBytes = debtBytes;
	}

	/**
	 * Does nothing as long as there is room.
	 * @throws DiskFullException when there is no room on the disk
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

	/**
	 * Whether the active memtable has reached this share of its bound, in memory or, by
	 * the large values to which it refers, on the disk. A reference is small: without the
	 * bound on the disk, values that were overwritten many times would all be kept until
	 * there are enough references for a flush.
	 */
	boolean isMemtableFull(double share) {
		View view = this.views.peek();
		return isFull(view, share) || view.active().memtable().valueBytes() >= share * this.valueBytes;
	}

	/** Nearness of the bounds at which writes are refused: from 0 to 1. */
	double pressure() {
		View view = this.views.peek();
		return this.writeThrottling.pressure(view.levelZeroTables(), view.sealed().size() + Math.min(1, fill(view)),
				this.debtBytes.getAsLong());
	}

	/** Permitted speed of the log. */
	LogThrottle pace() {
		return this.writeThrottling.pace(pressure());
	}

	private boolean isFull(View view, double share) {
		return fill(view) >= share;
	}

	private double fill(View view) {
		return (double) view.active().memtable().sizeBytes() / (double) this.properties.memtableSize().toBytes();
	}

}
