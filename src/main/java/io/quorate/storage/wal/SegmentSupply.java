package io.quorate.storage.wal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import io.quorate.storage.DiskFullException;
import io.quorate.storage.StorageException;
import io.quorate.storage.StorageOverloadedException.Bound;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.file.Channels;
import io.quorate.storage.file.DirectoryEntries;
import io.quorate.storage.log.LogFormat;
import io.quorate.storage.thread.Uninterrupted;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares one segment in advance, on a thread of its own: from the file of an older one,
 * or, when there is none in time, from zeros. To write and fsync zeros costs the disk as
 * much as the log itself, just when writes and a flush need it. All state is guarded by
 * this object's monitor; preparing happens outside it.
 */
final class SegmentSupply implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(SegmentSupply.class);

	private static final long RETRY_MILLIS = 1000;

	private static final long PATIENCE_SECONDS = 30;

	private static final long NONE = -1;

	private final Path directory;

	private final long sizeBytes;

	private final Thread thread = new Thread(this::run, "storage-log-segments");

	private long next;

	private boolean ready;

	private boolean hurried = true;

	private long spare = NONE;

	private boolean closed;

	private @Nullable StorageException trouble;

	/* Offsets up to which segments are on the disk, still to be recorded. */
	private Map<Long, Long> forced = new TreeMap<>();

	private final SegmentRegister register;

	/* The last segment with a file. */
	private long made = NONE;

	/**
	 * A supply that begins with segment {@code first}.
	 * @param register records segments before they are handed out
	 */
	SegmentSupply(Path directory, long sizeBytes, long first, SegmentRegister register) {
		this.register = register;
		this.directory = directory;
		this.sizeBytes = sizeBytes;
		this.next = first;
		this.thread.setDaemon(true);
	}

	void start() {
		this.thread.start();
	}

	/**
	 * Returns a segment at once, prepared on the calling thread unless an unused one of
	 * the right size exists, whose name is durable; only before the start.
	 */
	long takeNow() throws IOException {
		Path file = LogFormat.FILES.path(this.directory, this.next);
		if (!Files.exists(file) || !isUsable(file)) {
			LogSegment.prepare(this.directory, this.next, this.sizeBytes);
		}
		this.register.made(this.next);
		return this.next++;
	}

	/**
	 * Records soon, without waiting, that segments are on the disk up to these lengths.
	 */
	synchronized void forced(Map<Long, Long> lengths) {
		this.forced.putAll(lengths);
		notifyAll();
	}

	/**
	 * Takes a segment whose records are in a table: its file is kept for the next one, or
	 * deleted.
	 */
	void recycle(long number) throws IOException {
		Path file = LogFormat.FILES.path(this.directory, number);
		if (Files.exists(file) && !(isUsable(file) && isKept(number))) {
			DirectoryEntries.delete(file);
		}
	}

	private boolean isUsable(Path file) throws IOException {
		return Files.size(file) == this.sizeBytes && LogSegment.isUsable(file);
	}

	private synchronized boolean isKept(long number) {
		if (this.closed || this.spare != NONE) {
			return false;
		}
		this.spare = number;
		notifyAll();
		return true;
	}

	/** Requests a segment soon, whatever it is made from. */
	synchronized void hurry() {
		if (!this.hurried) {
			this.hurried = true;
			notifyAll();
		}
	}

	/** The prepared segment, or the state of its preparation. Does not wait. */
	synchronized Next poll() {
		if (this.ready) {
			this.ready = false;
			this.hurried = false;
			notifyAll();
			return new Ready(this.next++);
		}
		hurry();
		return (this.trouble != null) ? new Impossible(this.trouble) : new NotYet();
	}

	/** The prepared segment, or the reason why there cannot be one now. Waits for it. */
	synchronized Next await() {
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
		hurry();
		while (!this.ready && this.trouble == null && !this.closed) {
			long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
			if (left <= 0) {
				return new Impossible(new StorageOverloadedException(Bound.SEGMENT_SECONDS, PATIENCE_SECONDS));
			}
			waitMillis(left);
		}
		return poll();
	}

	private void run() {
		while (awaitDemand()) {
			turn();
		}
	}

	/** Records and prepares what is wanted now. Called by one thread. */
	void turn() {
		recordForced();
		if (!isWanted()) {
			return;
		}
		try {
			prepareNext();
			done(null);
		}
		catch (StorageException unrecorded) {
			log.warn("Segment {} of the log in {} cannot be recorded: {}", this.next, this.directory,
					unrecorded.getMessage());
			done(unrecorded);
		}
		catch (IOException failure) {
			log.warn("Cannot prepare a log segment of {} bytes in {}: {}", this.sizeBytes, this.directory,
					failure.toString());
			done(Channels.isFull(failure) ? new DiskFullException(this.directory, freeBytes(), this.sizeBytes)
					: new StorageOverloadedException(Bound.SEGMENTS, 0));
		}
		catch (RuntimeException | Error failure) {
			log.error("Cannot prepare a log segment in {}", this.directory, failure);
			done(new StorageOverloadedException(Bound.SEGMENTS, 0));
		}
	}

	private synchronized boolean awaitDemand() {
		if (this.trouble != null && !this.closed) {
			waitMillis(RETRY_MILLIS);
		}
		while (!this.closed && !isWanted() && this.forced.isEmpty()) {
			waitMillis(0);
		}
		return !this.closed;
	}

	private synchronized boolean isWanted() {
		return !this.ready && (this.spare != NONE || this.hurried);
	}

	/**
	 * Records the fsynced lengths. The log itself contains them too, unless it is
	 * damaged.
	 */
	private void recordForced() {
		Map<Long, Long> lengths = takeForced();
		if (lengths.isEmpty()) {
			return;
		}
		try {
			this.register.forced(lengths);
		}
		catch (RuntimeException | Error unrecorded) {
			log.warn("The fsynced lengths of segments of the log in {}, {}, cannot be recorded: {}", this.directory,
					lengths, unrecorded.toString());
		}
	}

	private synchronized Map<Long, Long> takeForced() {
		Map<Long, Long> taken = this.forced;
		this.forced = new TreeMap<>();
		return taken;
	}

	private void prepareNext() throws IOException {
		if (this.made != this.next) {
			make();
			this.made = this.next;
		}
		this.register.made(this.next);
	}

	private void make() throws IOException {
		long older = takeSpare();
		if (older == NONE) {
			LogSegment.prepare(this.directory, this.next, this.sizeBytes);
		}
		else {
			LogSegment.reuse(this.directory, older, this.next);
		}
	}

	private synchronized long takeSpare() {
		long taken = this.spare;
		this.spare = NONE;
		return taken;
	}

	private synchronized void done(@Nullable StorageException failure) {
		this.trouble = failure;
		this.ready = failure == null;
		notifyAll();
	}

	private long freeBytes() {
		try {
			return Files.getFileStore(this.directory).getUsableSpace();
		}
		catch (IOException unknown) {
			log.debug("The free space of {} is unknown", this.directory, unknown);
			return -1;
		}
	}

	@SuppressWarnings("WaitNotInLoop") // every caller waits in a loop of its own
	private void waitMillis(long millis) {
		try {
			wait(millis);
		}
		catch (InterruptedException uninterruptible) {
			this.closed = true;
		}
	}

	/** Ends the supply; a segment in preparation is completed. */
	@Override
	public void close() {
		synchronized (this) {
			this.closed = true;
			notifyAll();
		}
		if (this.thread.isAlive()) {
			Uninterrupted.join(this.thread);
		}
	}

	/** The state of the next segment. */
	sealed interface Next {

	}

	/** A prepared segment. */
	record Ready(long number) implements Next {
	}

	/** A segment in preparation. */
	record NotYet() implements Next {
	}

	/** A segment that cannot be prepared; another attempt follows automatically. */
	record Impossible(StorageException cause) implements Next {
	}

}
