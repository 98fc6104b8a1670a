package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.quorate.storage.DiskFullException;
import io.quorate.storage.StorageProperties;
import io.quorate.storage.file.Channels;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The free space on the disk of a directory, as of the last {@link #refresh}. Writes are
 * taken while it is at least a tenth of the disk or a fixed size, whichever is less. Safe
 * for any number of threads; only {@code refresh} asks the disk.
 */
final class DiskSpace {

	private static final Logger logger = LoggerFactory.getLogger(DiskSpace.class);

	private static final long BELIEVED_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final Path directory;

	private final long minFreeBytes;

	private final Probe probe;

	private volatile Reading reading;

	private volatile long toldFullNanos;

	private volatile boolean wasToldFull;

	/* Bytes that log, manifest and flushes may need while no write is taken. */
	private volatile long reserveBytes = Long.MAX_VALUE;

	/* Bounded by the number of compactions that may run at once. */
	private final Set<Claim> claims = ConcurrentHashMap.newKeySet();

	private DiskSpace(Path directory, long minFreeBytes, Probe probe, Reading reading) {
		this.directory = directory;
		this.minFreeBytes = minFreeBytes;
		this.probe = probe;
		this.reading = reading;
	}

	/** Watches the disk of an existing directory. */
	static DiskSpace of(Path directory, long minFreeBytes) throws IOException {
		// To find it again for each reading would take a file descriptor, and there may
		// be none.
		FileStore disk = Files.getFileStore(directory);
		return of(directory, minFreeBytes, () -> new Reading(disk.getTotalSpace(), disk.getUsableSpace()));
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

	/** Bytes that must be free for writes to be taken. */
	long requiredBytes() {
		return requiredBytes(this.reading);
	}

	/** Whether the free space is too little for writes. */
	boolean isLow() {
		return this.reading.freeBytes() < requiredBytes(this.reading);
	}

	/**
	 * Does nothing as long as there is room for writes.
	 * @throws DiskFullException when there is no room
	 */
	void requireRoom() {
		if (isLow() || isToldFull()) {
			throw exception();
		}
	}

	/** Sets the bytes kept from compactions; at most half of the required bytes count. */
	void reserve(long sizeBytes) {
		this.reserveBytes = sizeBytes;
	}

	/**
	 * Bytes that compactions leave free for log, manifest and flushes, which cannot wait.
	 * Compactions may use the rest of the required bytes.
	 */
	long reservedBytes() {
		return Math.min(this.reserveBytes, requiredBytes(this.reading) / 2);
	}

	/** Bytes that compactions may write beyond the claims of those under way. */
	long roomBytes() {
		return this.reading.freeBytes() - reservedBytes() - claimedBytes();
	}

	/** Bytes that the compactions under way are still going to write. */
	long claimedBytes() {
		return this.claims.stream().mapToLong((claim) -> claim.leftBytes).sum();
	}

	/** Keeps so many bytes from other compactions until the claim is closed. */
	Claim claim(long sizeBytes) {
		Claim claim = new Claim(sizeBytes);
		this.claims.add(claim);
		return claim;
	}

	/** The refusal of a write, with the figures of the last reading. */
	DiskFullException exception() {
		Reading current = this.reading;
		return new DiskFullException(this.directory, current.freeBytes(), requiredBytes(current));
	}

	/**
	 * Whether a failure means that the disk, or this process's share of it, is full; if
	 * so, reads the free space anew.
	 */
	boolean causedBy(Throwable failure) {
		if (!Channels.isFull(failure)) {
			return false;
		}
		refresh();
		this.toldFullNanos = System.nanoTime();
		this.wasToldFull = true;
		return true;
	}

	/* A quota, or a network disk, may be full while space seems to be left. */
	private boolean isToldFull() {
		return this.wasToldFull && System.nanoTime() - this.toldFullNanos < BELIEVED_NANOS;
	}

	/** Reads the free space. If that fails, the last reading stands. */
	synchronized void refresh() {
		boolean wasLow = isLow();
		try {
			this.reading = this.probe.read();
		}
		catch (IOException ex) {
			logger.warn("The free space on the disk of {} cannot be read; {} bytes are assumed as before: {}",
					this.directory, freeBytes(), ex.toString());
		}
		if (isLow() != wasLow) {
			logger.warn("{} bytes are free on the disk of {}, {} are required: writes are {}", freeBytes(),
					this.directory, requiredBytes(), wasLow ? "taken again" : "refused");
		}
	}

	private long requiredBytes(Reading current) {
		return Math.min(current.totalBytes() / 10, this.minFreeBytes);
	}

	/**
	 * The bytes that one compaction is going to write. Each byte is counted until a
	 * reading of the disk includes it: for a moment twice, and never not at all.
	 */
	final class Claim implements AutoCloseable {

		private final long sizeBytes;

		private volatile long leftBytes;

		private Claim(long sizeBytes) {
			this.sizeBytes = sizeBytes;
			this.leftBytes = sizeBytes;
		}

		/** Takes note that so many bytes of it are written. */
		void written(long bytes) {
			refresh();
			this.leftBytes = Math.max(0, this.sizeBytes - bytes);
		}

		/** Ends the claim: nothing more is written. Closing again does nothing. */
		@Override
		public void close() {
			refresh();
			DiskSpace.this.claims.remove(this);
		}

	}

	/** Reads the size of a disk and its free space. */
	@FunctionalInterface
	interface Probe {

		Reading read() throws IOException;

	}

	/** The size and free space of a disk at one time. */
	record Reading(long totalBytes, long freeBytes) {
	}

	/** Bytes for the flush of all memtables, and for the log, while no write is taken. */
	static long reserveBytes(StorageProperties properties) {
		return (properties.maxMemtables() + 1) * properties.memtableSize().toBytes()
				+ 2 * properties.wal().segmentSize().toBytes();
	}

}
