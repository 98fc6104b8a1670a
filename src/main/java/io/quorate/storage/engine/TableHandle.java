package io.quorate.storage.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.manifest.TableMeta;
import io.quorate.storage.sstable.SortedTable;
import org.jspecify.annotations.Nullable;

/**
 * An open table and the value files that it keeps from going away. Once it is obsolete
 * its file is deleted when the last reader has let go.
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

	/** What answers for its keys. */
	SortedTable table() {
		return this.table;
	}

	/** What can be read of it, quarantine or not. */
	SortedTable pages() {
		return this.pages;
	}

	/**
	 * From now on it answers for none of the keys that it may hold.
	 * @return whether it did until now
	 */
	synchronized boolean quarantine(StorageCorruptedException damage) {
		if (damage() != null) {
			return false;
		}
		this.table = new DamagedTable(this.meta.summary(), damage, this.pages);
		return true;
	}

	/** Why it is quarantined, or {@code null}. */
	@Nullable StorageCorruptedException damage() {
		return (this.table instanceof DamagedTable damaged) ? damaged.damage() : null;
	}

	void markObsolete() {
		this.obsolete = true;
	}

	@Override
	void giveBack() {
		try {
			this.cleaner.execute(() -> {
				this.pages.close();
				this.cleanup.closed(this.meta, this.obsolete);
			});
		}
		catch (RejectedExecutionException ended) {
			// The last reader has outlived the store: the next start deletes the file.
			this.pages.close();
		}
	}

	/** Takes away what a table leaves. */
	@FunctionalInterface
	interface Cleanup {

		/** A table was closed. */
		void closed(TableMeta meta, boolean obsolete);

	}

}
