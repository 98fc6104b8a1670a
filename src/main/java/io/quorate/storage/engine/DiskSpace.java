package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

import io.quorate.storage.DiskFullException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The room left on the disk, looked at now and then, and whether it is enough to take
 * writes. For any number of threads.
 */
final class DiskSpace {

	private static final Logger log = LoggerFactory.getLogger(DiskSpace.class);

	private final Path directory;

	private final Space space;

	private final long requiredBytes;

	private volatile long freeBytes = Long.MAX_VALUE;

	private volatile boolean low;

	DiskSpace(Path directory, long minFreeBytes, Space space) throws IOException {
		this.directory = directory;
		this.space = space;
		this.requiredBytes = Math.min(minFreeBytes, space.totalBytes() / 10);
		refresh();
	}

	/** The room on the disk of a directory; a tenth of it is enough at any rate. */
	static DiskSpace of(Path directory, long minFreeBytes) throws IOException {
		FileStore disk = Files.getFileStore(directory);
		return new DiskSpace(directory, minFreeBytes, new Space() {

			@Override
			public long totalBytes() throws IOException {
				return disk.getTotalSpace();
			}

			@Override
			public long freeBytes() throws IOException {
				return disk.getUsableSpace();
			}

		});
	}

	/** Looks again. */
	void refresh() {
		try {
			this.freeBytes = this.space.freeBytes();
		}
		catch (IOException unknown) {
			log.warn("The free space of the disk of {} cannot be told: {}", this.directory, unknown.toString());
			return;
		}
		boolean nowLow = this.freeBytes < this.requiredBytes;
		if (nowLow != this.low) {
			this.low = nowLow;
			log.warn("{} bytes are free on the disk of {}: writes are {}", this.freeBytes, this.directory,
					nowLow ? "refused below " + this.requiredBytes : "taken again");
		}
	}

	long freeBytes() {
		return this.freeBytes;
	}

	boolean isLow() {
		return this.low;
	}

	void requireRoom() {
		if (this.low) {
			throw exception();
		}
	}

	/** What is told when there is no room. */
	DiskFullException exception() {
		return new DiskFullException(this.directory, this.freeBytes, this.requiredBytes);
	}

	/** Whether a failed write is for want of room; looks again then. */
	boolean causedBy(Exception failure) {
		boolean full = failure instanceof IOException
				&& String.valueOf(failure.getMessage()).contains("No space left on device");
		if (full) {
			refresh();
		}
		return full;
	}

	/** A disk. */
	interface Space {

		/** Size of the disk. */
		long totalBytes() throws IOException;

		/** What this process may still write. */
		long freeBytes() throws IOException;

	}

}
