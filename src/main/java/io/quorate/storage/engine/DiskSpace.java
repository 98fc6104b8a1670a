package io.quorate.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.quorate.storage.DiskFullException;
import io.quorate.storage.file.Channels;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Free space on the disk of a directory, as of the last {@link #refresh}, and whether it
 * is enough for writes. It has to be a tenth of the disk or a fixed size, whichever is
 * less. Safe for any number of threads; only {@code refresh} asks the disk.
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

	/* What log, manifest and flushes may need while no write is taken. */
	private volatile long reserveBytes = Long.MAX_VALUE;

	/* Bounded by the merges that may run at once. */
	private final Set<Claim> claims = ConcurrentHashMap.newKeySet();

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
		if (isLow() || isToldFull()) {
			throw exception();
		}
	}

	/**
	 * From now on so much is kept from merges, if it is less than half of what has to be
	 * free for writes.
	 */
	void reserve(long sizeBytes) {
		this.reserveBytes = sizeBytes;
	}

	/**
	 * What merges leave free for what cannot wait: log, manifest and flushes. The rest of
	 * what has to be free for writes is theirs.
	 */
	long reservedBytes() {
		return Math.min(this.reserveBytes, requiredBytes(this.reading) / 2);
	}

	/** How much merges may write besides what those under way have claimed. */
	long roomBytes() {
		return this.reading.freeBytes() - reservedBytes() - claimedBytes();
	}

	/** What merges under way are going to write yet. */
	long claimedBytes() {
		return this.claims.stream().mapToLong((claim) -> claim.leftBytes).sum();
	}

	/** Keeps so much of the room from other merges, until it is closed. */
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
	 * Whether a failure says that the disk, or what this process may use of it, is full;
	 * if so, asks the disk.
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

	/* A quota, or a disk of another machine, may be full while space seems to be left. */
	private boolean isToldFull() {
		return this.wasToldFull && System.nanoTime() - this.toldFullNanos < BELIEVED_NANOS;
	}

	/** Asks the disk. When it does not answer, the last reading stands. */
	synchronized void refresh() {
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

	/**
	 * What a merge is going to write. It is counted until the disk says so itself: for a
	 * moment twice, and never not at all.
	 */
	final class Claim implements AutoCloseable {

		private final long sizeBytes;

		private volatile long leftBytes;

		private Claim(long sizeBytes) {
			this.sizeBytes = sizeBytes;
			this.leftBytes = sizeBytes;
		}

		/** So much of it is written. */
		void written(long bytes) {
			refresh();
			this.leftBytes = Math.max(0, this.sizeBytes - bytes);
		}

		/** Nothing more is written. Closing again does nothing. */
		@Override
		public void close() {
			refresh();
			DiskSpace.this.claims.remove(this);
		}

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
