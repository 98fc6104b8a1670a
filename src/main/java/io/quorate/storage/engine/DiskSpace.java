package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.quorate.storage.DiskFullException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Free space on the disk of a directory, as of the last {@link #refresh}, and whether it
 * is enough for writes. It has to be a tenth of the disk or a fixed size, whichever is
 * less. Safe for any number of threads; only {@code refresh} asks the disk.
 */
final class DiskSpace {

	private static final Logger logger = LoggerFactory.getLogger(DiskSpace.class);

	/* The JDK passes the errors ENOSPC and EDQUOT on as nothing but their text. */
	private static final List<String> FULL = List.of("No space left on device", "Disk quota exceeded");

	private final Path directory;

	private final long minFreeBytes;

	private final Probe probe;

	private volatile Reading reading;

	private DiskSpace(Path directory, long minFreeBytes, Probe probe, Reading reading) {
		this.directory = directory;
		this.minFreeBytes = minFreeBytes;
		this.probe = probe;
		this.reading = reading;
	}

	/** Watches the disk of an existing directory. */
	static DiskSpace of(Path directory, long minFreeBytes) throws IOException {
		return of(directory, minFreeBytes, () -> {
			var disk = Files.getFileStore(directory);
			return new Reading(disk.getTotalSpace(), disk.getUsableSpace());
		});
	}

	static DiskSpace of(Path directory, long minFreeBytes, Probe probe) throws IOException {
		return new DiskSpace(directory, minFreeBytes, probe, probe.read());
	}

	/** Bytes that this process may still write. */
	long freeBytes() {
		return this.reading.freeBytes();
	}

	/** Size of the disk. */
	long totalBytes() {
		return this.reading.totalBytes();
	}

	/** Bytes that have to be free for writes. */
	long requiredBytes() {
		return requiredBytes(this.reading);
	}

	/** Whether it is too little for writes. */
	boolean isLow() {
		return this.reading.freeBytes() < requiredBytes(this.reading);
	}

	/**
	 * Does nothing as long as there is room for writes.
	 * @throws DiskFullException when there is not
	 */
	void requireRoom() {
		if (isLow()) {
			throw exception();
		}
	}

	/**
	 * Whether work in the background may write so much and leave room for what cannot
	 * wait: log, manifest and flushes.
	 */
	boolean fits(long sizeBytes) {
		Reading current = this.reading;
		return current.freeBytes() - sizeBytes >= requiredBytes(current) / 2;
	}

	/** The refusal of a write, with the figures of the last reading. */
	DiskFullException exception() {
		Reading current = this.reading;
		return new DiskFullException(this.directory, current.freeBytes(), requiredBytes(current));
	}

	/**
	 * Whether a failure says that the disk, or what this process may use of it, is full;
	 * if so, asks the disk.
	 */
	boolean causedBy(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			String message = String.valueOf(cause.getMessage());
			if (cause instanceof IOException && FULL.stream().anyMatch(message::contains)) {
				refresh();
				return true;
			}
		}
		return false;
	}

	/** Asks the disk. When it does not answer, the last reading stands. */
	void refresh() {
		boolean wasLow = isLow();
		try {
			this.reading = this.probe.read();
		}
		catch (IOException ex) {
			logger.warn("The disk of {} does not say how much is free; {} bytes are assumed as before", this.directory,
					freeBytes(), ex);
		}
		if (isLow() != wasLow) {
			logger.warn("{} bytes are free on the disk of {}, {} are required: writes are {}", freeBytes(),
					this.directory, requiredBytes(), wasLow ? "taken again" : "refused");
		}
	}

	private long requiredBytes(Reading current) {
		return Math.min(current.totalBytes() / 10, this.minFreeBytes);
	}

	/** Asks a disk how large it is and how much is free. */
	@FunctionalInterface
	interface Probe {

		Reading read() throws IOException;

	}

	/** What a disk answered. */
	record Reading(long totalBytes, long freeBytes) {
	}

}
