package io.quorate.storage.engine;

import java.util.concurrent.Executor;

import io.quorate.storage.manifest.TableMeta;
import io.quorate.storage.sstable.SortedTable;

/**
 * An open table and the value files that it keeps from going away. Once it is obsolete
 * its file is deleted when the last reader has let go.
 */
final class TableHandle extends Shared {

	private final TableMeta meta;

	private final SortedTable table;

	private final Executor cleaner;

	private final Cleanup cleanup;

	private volatile boolean obsolete;

	TableHandle(TableMeta meta, SortedTable table, Executor cleaner, Cleanup cleanup) {
		this.meta = meta;
		this.table = table;
		this.cleaner = cleaner;
		this.cleanup = cleanup;
	}

	TableMeta meta() {
		return this.meta;
	}

	SortedTable table() {
		return this.table;
	}

	void markObsolete() {
		this.obsolete = true;
	}

	@Override
	void giveBack() {
		this.cleaner.execute(() -> {
			this.table.close();
			this.cleanup.closed(this.meta, this.obsolete);
		});
	}

	/** Takes away what a table leaves. */
	@FunctionalInterface
	interface Cleanup {

		/** A table was closed. */
		void closed(TableMeta meta, boolean obsolete);

	}

}
