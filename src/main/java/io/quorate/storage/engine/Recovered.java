package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;

import io.quorate.storage.directory.FutureStamps;
import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.memtable.Memtable;
import io.quorate.storage.thread.Uninterrupted;
import io.quorate.storage.values.ValueFiles;
import io.quorate.storage.wal.LogReplay;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The opened files of a directory and the state recovered from them at a start.
 *
 * @param views the tables, and the entries of the log as sealed memtables
 * @param aside the tables that were set aside
 * @param cleaner closes and deletes files
 * @param logDirectory directory of the log's segments
 * @param nextSegment number of the segment to write next
 * @param nextSequence number of the next write
 * @param previousForced length of the segment before, all of it fsynced
 * @param salvage the handling of damage at this start
 */
record Recovered(Manifest manifest, Views views, SetAsideTables aside, Tables tables, ValueFiles values,
		ExecutorService cleaner, Path logDirectory, long nextSegment, long nextSequence, long previousForced,
		Salvage salvage) implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(Recovered.class);

	/** Refuses the start when the timestamp of an entry is too far in the future. */
	void requireBelievable(FutureStamps future) {
		View view = this.views.peek();
		for (TableHandle handle : view.tables()) {
			future.require("the newest entry of " + this.tables.path(handle.meta().number()),
					handle.meta().summary().newest());
		}
		for (Memtable memtable : view.memtables()) {
			future.require("the newest entry of " + LogReplay.file(this.logDirectory, memtable.segment()),
					memtable.newest());
		}
	}

	/** Deletes, soon, the value files that have no reference and still exist. */
	void collectGarbage() {
		if (!this.cleaner.isShutdown()) {
			this.cleaner.execute(() -> this.values.unheld()
				.forEach((number) -> Recovery.collect(this.manifest, this.values, number)));
		}
	}

	/** Closes every file, once nothing reads or writes any more. Waits until done. */
	@Override
	public void close() {
		this.values.keepAll();
		this.views.close();
		this.aside.close();
		Uninterrupted.shutDown(this.cleaner);
		try {
			this.values.close();
		}
		catch (IOException failure) {
			log.warn("A value file could not be closed", failure);
		}
		this.manifest.close();
	}

}
