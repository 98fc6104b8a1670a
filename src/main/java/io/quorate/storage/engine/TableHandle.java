package io.quorate.storage.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.manifest.TableMeta;
import io.quorate.storage.sstable.SortedTable;
import org.jspecify.annotations.Nullable;

/**
 * An open table with references to the value files that its entries need. If it is
 * obsolete, its file is deleted when the last reader has released it.
 */
final class TableHandle extends RefCounted {

	private final TableMeta meta;

	private final SortedTable pages;

	private final Executor cleaner;

	private final Cleanup cleanup;

	private volatile SortedTable table;

	private volatile boolean obsolete;

	TableHandle(TableMeta meta, SortedTable table, Executor cleaner, Cleanup cleanup) {
		this.meta = meta;
		this.pages = table;
		this.table = table;
		this.cleaner = cleaner;
		this.cleanup = cleanup;
	}

	TableMeta meta() {
		return this.meta;
	}

	/** The table that answers for its keys: a {@link DamagedTable} in quarantine. */
	SortedTable table() {
		return this.table;
	}

	/** The table as it was opened, in quarantine or not. */
	SortedTable pages() {
		return this.pages;
	}

	/**
	 * Puts the table in quarantine: it answers for none of the keys that it may hold.
	 * @return whether it was not in quarantine before
	 */
	synchronized boolean quarantine(StorageCorruptedException damage) {
		if (damage() != null) {
			return false;
		}
		this.table = new DamagedTable(this.meta.summary(), damage, this.pages);
		return true;
	}

	/** Reason for its quarantine, or {@code null}. */
	@Nullable StorageCorruptedException damage() {
		return (this.table instanceof DamagedTable damaged) ? damaged.damage() : null;
	}

	void markObsolete() {
		this.obsolete = true;
	}

	@Override
	void dispose() {
		try {
			this.cleaner.execute(() -> {
				this.pages.close();
				this.cleanup.closed(this.meta, this.obsolete);
			});
		}
		catch (RejectedExecutionException ended) {
			// This reader has outlived the store: the next start deletes the file.
			this.pages.close();
		}
	}

	/** Removes the files that a closed table needed. */
	@FunctionalInterface
	interface Cleanup {

		/** Called after a table was closed. */
		void closed(TableMeta meta, boolean obsolete);

	}

}
