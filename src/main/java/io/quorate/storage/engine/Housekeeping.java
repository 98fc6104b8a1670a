package io.quorate.storage.engine;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.quorate.storage.DiskFullException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.thread.Uninterrupted;
import io.quorate.storage.wal.WriteAheadLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Periodic checks on a thread of their own: of the directory, of the free space, of the
 * manifest, and for compactions that have become due.
 */
final class Housekeeping implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(Housekeeping.class);

	private static final long PERIOD_MILLIS = 250;

	/* Compactions also become due by expiry and by room on the disk, without an event. */
	private static final long COMPACTION_CHECK_MILLIS = 10_000;

	private final DirectoryWatch directory;

	private final DiskSpace disk;

	private final OpenFiles files;

	private final WriteAheadLog writeAheadLog;

	private final Compactor compactor;

	private final Runnable reclaimRoom;

	private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1,
			Thread.ofPlatform().daemon().name("storage-housekeeping").factory());

	/**
	 * Housekeeping.
	 * @param reclaimRoom runs periodically while there is too little room for writes
	 */
	Housekeeping(DirectoryWatch directory, DiskSpace disk, OpenFiles files, WriteAheadLog writeAheadLog,
			Compactor compactor, Runnable reclaimRoom) {
		this.directory = directory;
		this.disk = disk;
		this.files = files;
		this.writeAheadLog = writeAheadLog;
		this.compactor = compactor;
		this.reclaimRoom = reclaimRoom;
		this.executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	void begin() {
		var _ = this.executor.scheduleWithFixedDelay(this::keepHouse, PERIOD_MILLIS, PERIOD_MILLIS,
				TimeUnit.MILLISECONDS);
		var _ = this.executor.scheduleWithFixedDelay(this::checkCompactions, COMPACTION_CHECK_MILLIS,
				COMPACTION_CHECK_MILLIS, TimeUnit.MILLISECONDS);
	}

	/**
	 * Runs a task in a millisecond, unless closed before; returns whether it was
	 * accepted.
	 */
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
			// Also those whose deletion has failed before.
			this.files.collectGarbage();
			this.compactor.wake();
		}
		catch (RuntimeException | Error bug) {
			log.error("The compactions due in {} cannot be determined", this.directory.directory(), bug);
		}
	}

	/*
	 * Nothing that is written from now on would be found again, and what has no name any
	 * more is gone with this process.
	 */
	private void requireDirectory() {
		String missing = this.directory.missing();
		if (missing != null) {
			throw new StorageFailedException(
					"%s: what is written now would be lost; restart the node".formatted(missing), null);
		}
	}

	/**
	 * Catches every exception and error: one thrown to the executor would end the checks
	 * unnoticed.
	 */
	private void keepHouse() {
		try {
			requireDirectory();
			this.disk.refresh();
			if (this.disk.isLow()) {
				this.reclaimRoom.run();
			}
			this.compactor.wakeForRoom();
			this.files.manifest().requireUsable();
		}
		catch (DiskFullException full) {
			log.debug("The manifest waits for room", full);
		}
		catch (StorageFailedException failed) {
			if (this.writeAheadLog.failure() == null) {
				this.writeAheadLog.fail(failed);
			}
		}
		catch (RuntimeException | Error bug) {
			log.error("Internal error in the housekeeping of the store in {}", this.directory.directory(), bug);
		}
	}

	@Override
	public void close() {
		Uninterrupted.shutDown(this.executor);
	}

}
