package io.quorate.storage.engine;

import io.quorate.storage.Promise;
import io.quorate.storage.directory.FutureStamps;
import io.quorate.storage.memtable.Memtable;
import io.quorate.storage.wal.LogEnd;
import io.quorate.storage.wal.LogReplay;

/**
 * The state that a start has recovered from a directory.
 *
 * @param files the opened files, with the entries of the log as sealed memtables
 * @param log the end of the replayed log
 * @param salvage the handling of damage at this start
 */
record Recovered(OpenFiles files, LogEnd log, Salvage salvage) implements AutoCloseable {

	/** Refuses the start when the timestamp of an entry is too far in the future. */
	void requireBelievable(FutureStamps future) {
		View view = this.files.views().peek();
		for (TableHandle handle : view.tables()) {
			future.require("the newest entry of " + this.files.tables().path(handle.meta().number()),
					handle.meta().summary().times().newest());
		}
		for (Memtable memtable : view.memtables()) {
			future.require("the newest entry of " + LogReplay.file(this.log.directory(), memtable.segment()),
					memtable.newest());
		}
		for (Promise promise : this.log.promises().all()) {
			future.require("a promise of the log in " + this.log.directory(), promise.ballot());
		}
	}

	/** Closes every file. Waits until done. */
	@Override
	public void close() {
		this.files.close();
	}

}
