package io.quorate.storage.engine;

import java.nio.file.Path;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.quorate.storage.DiskFullException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.manifest.Manifest;
import io.quorate.storage.thread.Uninterrupted;
import io.quorate.storage.wal.WriteAheadLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has to be looked at from time to time, on a thread of its own: the free space, the
 * manifest, and whether compactions have become due.
 */
final class Housekeeping implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(Housekeeping.class);

	private static final long PERIOD_MILLIS = 250;

	/* Expiry and room on the disk make compactions due, and tell nobody. */
	private static final long COMPACTION_CHECK_MILLIS = 10_000;

	private final Path directory;

	private final DiskSpace disk;

	private final Manifest manifest;

	private final WriteAheadLog writeAheadLog;

	private final Compactor compactor;

	private final Runnable collectGarbage;

	private final Runnable giveBackRoom;

	private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1,
			Thread.ofPlatform().daemon().name("storage-housekeeping").factory());

	/**
	 * Housekeeping.
	 * @param collectGarbage tries again what could not be deleted
	 * @param giveBackRoom is run from time to time while there is too little for writes
	 */
	Housekeeping(Path directory, DiskSpace disk, Manifest manifest, WriteAheadLog writeAheadLog, Compactor compactor,
			Runnable collectGarbage, Runnable giveBackRoom) {
		this.directory = directory;
		this.disk = disk;
		this.manifest = manifest;
		this.writeAheadLog = writeAheadLog;
		this.compactor = compactor;
		this.collectGarbage = collectGarbage;
		this.giveBackRoom = giveBackRoom;
		this.executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	void begin() {
		var _ = this.executor.scheduleWithFixedDelay(this::keepHouse, PERIOD_MILLIS, PERIOD_MILLIS,
				TimeUnit.MILLISECONDS);
		var _ = this.executor.scheduleWithFixedDelay(this::checkCompactions, COMPACTION_CHECK_MILLIS,
				COMPACTION_CHECK_MILLIS, TimeUnit.MILLISECONDS);
	}

	/** Runs something in a millisecond; says whether it will, unless closed before. */
	boolean soon(Runnable task) {
		try {
			var _ = this.executor.schedule(task, 1, TimeUnit.MILLISECONDS);
			return true;
		}
		catch (RejectedExecutionException closed) {
			return false;
		}
	}

	private void checkCompactions() {
		try {
			this.collectGarbage.run();
			this.compactor.wake();
		}
		catch (RuntimeException bug) {
			log.error("What to compact in {} cannot be said", this.directory, bug);
		}
	}

	/** What it throws would end it for good, unseen. */
	private void keepHouse() {
		try {
			this.disk.refresh();
			if (this.disk.isLow()) {
				this.giveBackRoom.run();
			}
			this.compactor.wakeForRoom();
			this.manifest.requireUsable();
		}
		catch (DiskFullException full) {
			log.debug("The manifest waits for room", full);
		}
		catch (StorageFailedException failed) {
			if (this.writeAheadLog.failure() == null) {
				this.writeAheadLog.fail(failed);
			}
		}
		catch (RuntimeException bug) {
			log.error("The housekeeping of the store in {} has met a fault of the program", this.directory, bug);
		}
	}

	@Override
	public void close() {
		Uninterrupted.shutDown(this.executor);
	}

}
