package io.quorate.storage.engine;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutorService;

import io.quorate.storage.StorageException;
import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.manifest.VersionEdit;
import io.quorate.storage.thread.Uninterrupted;
import io.quorate.storage.values.ValueFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a store while it is open, except its log. Each part may be used by any
 * number of threads until it is closed.
 *
 * @param views the tables and memtables that are read
 * @param aside the tables that were set aside
 * @param cleaner closes and deletes files
 */
record OpenFiles(Manifest manifest, Views views, SetAsideTables aside, Tables tables, ValueFiles values,
		ExecutorService cleaner) implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(OpenFiles.class);

	/** Deletes, soon, the value files that have no reference and still exist. */
	void collectGarbage() {
		if (!this.cleaner.isShutdown()) {
			this.cleaner
				.execute(() -> this.values.unheld().forEach((number) -> collect(this.manifest, this.values, number)));
		}
	}

	/** Deletes a value file, on the cleaner's thread. A second call does nothing. */
	static void collect(Manifest manifest, ValueFiles values, long number) {
		try {
			if (manifest.live().valueFiles().contains(number)) {
				manifest.append(VersionEdit.valueFilesRemoved(List.of(number)));
			}
			values.delete(number);
		}
		catch (IOException | StorageException failure) {
			log.warn("Value file {} is not needed any more and could not be deleted; it is tried again: {}", number,
					failure.toString());
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
