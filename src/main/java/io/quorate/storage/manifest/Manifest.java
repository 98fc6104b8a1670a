package io.quorate.storage.manifest;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

import io.quorate.storage.DiskFullException;
import io.quorate.storage.StorageException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.file.Channels;
import io.quorate.storage.file.DirectoryEntries;
import io.quorate.storage.file.DurableFiles;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of version edits in the file {@code MANIFEST} of a store's directory.
 * <p>
 * Safe for any number of threads; {@link #append} waits for the disk, {@link #live} never
 * does. Invariants: (1) an edit is durable before {@code append} returns and before
 * {@code live} shows it; (2) after a write or an fsync has failed no edit is taken any
 * more, because the content of the file is unknown; (3) except that after a failure on a
 * full disk the next edit is taken, once the written bytes are cut off or a new file with
 * the live files is written.
 */
public final class Manifest implements AutoCloseable {

	/** Name of the file in the store's directory. */
	public static final String FILE_NAME = "MANIFEST";

	/** Below this size a log is not worth being rewritten, in bytes. */
	static final long REWRITE_MIN_BYTES = 1024 * 1024;

	/** Most times that a log may be as large as its state. */
	private static final long REWRITE_RATIO = 4;

	private static final Logger logger = LoggerFactory.getLogger(Manifest.class);

	private final Path file;

	private final long rewriteMinBytes;

	private FileChannel channel;

	private long sizeBytes;

	private long rewriteAboveBytes;

	private volatile LiveFiles live;

	private volatile @Nullable Throwable failure;

	/* Whether a new file has to take the place of this one before an edit is appended. */
	private volatile boolean doubtful;

	private final ManifestLog.Contents found;

	/* Whether the file has no bytes behind its last edit. */
	private boolean settled;

	private Manifest(Path file, FileChannel channel, ManifestLog.Contents contents, long rewriteMinBytes) {
		this.file = file;
		this.channel = channel;
		this.sizeBytes = contents.sizeBytes();
		this.live = contents.live();
		this.found = contents;
		this.rewriteMinBytes = rewriteMinBytes;
		this.rewriteAboveBytes = rewriteMinBytes;
	}

	/**
	 * Opens the manifest of a directory, or makes one in a directory that has no data
	 * yet. An existing one stays as it is until {@link #settle} or the first edit.
	 * @throws StorageStartException when the manifest is missing beside data, damaged, of
	 * a newer format, or cannot be read or written
	 */
	public static Manifest open(Path directory) {
		return open(directory, REWRITE_MIN_BYTES);
	}

	static Manifest open(Path directory, long rewriteMinBytes) {
		Path file = directory.resolve(FILE_NAME);
		try {
			DirectoryEntries.deleteIfExists(directory.resolve(FILE_NAME + DurableFiles.TEMPORARY_SUFFIX));
			if (!Files.exists(file)) {
				requireNoData(directory);
				DurableFiles.replace(file, ManifestLog.snapshot(LiveFiles.NONE));
			}
			ManifestLog.Contents contents = ManifestLog.read(file, ByteBuffer.wrap(Files.readAllBytes(file)));
			return new Manifest(file, Channels.open(file, StandardOpenOption.WRITE), contents, rewriteMinBytes);
		}
		catch (IOException ex) {
			throw new StorageStartException("%s cannot be read or written: %s".formatted(file, ex), ex);
		}
	}

	/** Writes a manifest of the live files in place of one that is damaged or missing. */
	public static void write(Path directory, LiveFiles live) throws IOException {
		DurableFiles.replace(directory.resolve(FILE_NAME), ManifestLog.snapshot(live));
	}

	/**
	 * Reads the live files from the manifest of a directory; changes nothing there.
	 * @throws StorageStartException when it is damaged or of a newer format
	 */
	public static LiveFiles read(Path directory) throws IOException {
		Path file = directory.resolve(FILE_NAME);
		return ManifestLog.read(file, ByteBuffer.wrap(Files.readAllBytes(file))).live();
	}

	/** The files after the last edit. */
	public LiveFiles live() {
		return this.live;
	}

	/**
	 * Takes an edit, and returns when it is durable.
	 * @throws IllegalStateException when the edit contradicts the live files; then
	 * nothing was written
	 * @throws DiskFullException when the disk is full; the edit did not and will not take
	 * effect
	 * @throws StorageFailedException when it could not be made durable, or an earlier one
	 * could not: whether it took effect is known at the next start
	 */
	public synchronized void append(VersionEdit edit) {
		requireUsable();
		LiveFiles next = this.live.apply(edit);
		try {
			settleNow();
			ByteBuffer frame = ManifestLog.frame(edit, this.sizeBytes);
			int length = frame.remaining();
			write(frame);
			force();
			this.sizeBytes += length;
			this.live = next;
			rewriteAfterEdit();
		}
		catch (IOException ex) {
			throw fail(ex);
		}
	}

	private void settleNow() throws IOException {
		try {
			settle();
		}
		catch (IOException ex) {
			if (!Channels.isFull(ex)) {
				throw ex;
			}
			throw new DiskFullException(this.file, ex);
		}
	}

	/** Rewrites the file if it is long. Whatever the result, the edit is taken. */
	private void rewriteAfterEdit() throws IOException {
		try {
			rewriteIfLong();
		}
		catch (IOException ex) {
			if (!Channels.isFull(ex)) {
				throw ex;
			}
			this.doubtful = true;
		}
	}

	private void write(ByteBuffer frame) throws IOException {
		try {
			DurableFiles.writeFully(this.channel, frame, this.sizeBytes);
		}
		catch (IOException ex) {
			if (!Channels.isFull(ex)) {
				throw ex;
			}
			cutOff(ex);
			throw new DiskFullException(this.file, ex);
		}
	}

	/** Cuts off the written bytes, which needs no room on the disk. */
	private void cutOff(IOException cause) {
		try {
			this.channel.truncate(this.sizeBytes);
		}
		catch (IOException ex) {
			cause.addSuppressed(ex);
			this.doubtful = true;
			healNow(cause);
		}
	}

	/**
	 * Fsyncs the file. After an fsync that has failed, only a new file is to be trusted.
	 */
	private void force() throws IOException {
		try {
			this.channel.force(false);
		}
		catch (IOException ex) {
			if (!Channels.isFull(ex)) {
				throw ex;
			}
			this.doubtful = true;
			healNow(ex);
			throw new DiskFullException(this.file, ex);
		}
	}

	/**
	 * Writes a new file at once. Without it, the edit may take effect at the next start,
	 * and the files that it names have to stay.
	 */
	private void healNow(IOException cause) {
		try {
			heal();
		}
		catch (StorageException unhealed) {
			throw new StorageFailedException(
					"%s could not be written for want of room, and takes no edits before there".formatted(this.file)
							+ " is some: " + cause.getMessage(),
					cause);
		}
	}

	private synchronized void heal() {
		if (!this.doubtful) {
			return;
		}
		try {
			ByteBuffer snapshot = ManifestLog.snapshot(this.live);
			int snapshotBytes = snapshot.remaining();
			publish(DurableFiles.writeTemporary(this.file, snapshot), snapshotBytes);
			this.doubtful = false;
		}
		catch (IOException ex) {
			if (!Channels.isFull(ex)) {
				throw fail(ex);
			}
			throw new DiskFullException(this.file, ex);
		}
	}

	/** Closes the file; no further edit is taken. A second call does nothing. */
	@Override
	public synchronized void close() {
		if (this.failure == null) {
			this.failure = new StorageFailedException(this.file + " is closed", null);
		}
		try {
			this.channel.close();
		}
		catch (IOException ex) {
			logger.warn("{} could not be closed; every edit in it was fsynced before", this.file, ex);
		}
	}

	/**
	 * Accepts the content that was found: cuts off the bytes behind the last whole edit.
	 * Call it only once this edit is known to be the last that was written. Does nothing
	 * the second time.
	 */
	public synchronized void settle() throws IOException {
		if (this.settled) {
			return;
		}
		writeAgain();
		rewriteIfLong();
		this.settled = true;
	}

	/*
	 * The last edits that an earlier process has left may be in the page cache alone, and
	 * clean if their fsync has failed: only bytes that are written again are on the disk
	 * after the next fsync. The same bytes are written at the same place, so that no
	 * crash takes anything.
	 */
	private void writeAgain() throws IOException {
		if (this.found.tornBytes() > 0) {
			logger.warn("{}: {} bytes of an edit that was never completed are cut off at offset {}", this.file,
					this.found.tornBytes(), this.sizeBytes);
			this.channel.truncate(this.sizeBytes);
		}
		ByteBuffer edits = ByteBuffer.wrap(Files.readAllBytes(this.file)).limit(Math.toIntExact(this.sizeBytes));
		DurableFiles.writeFully(this.channel, edits, 0);
		this.channel.force(true);
	}

	/** Number of bytes behind the last whole edit that were found in the file. */
	public int tornBytes() {
		return this.found.tornBytes();
	}

	/**
	 * Numbers of tables that an edit has given up, as far as the file still has that
	 * edit.
	 */
	public Set<Long> goneTables() {
		return this.found.gone().tables();
	}

	/**
	 * Numbers of value files that an edit has given up, as far as the file still has that
	 * edit.
	 */
	public Set<Long> goneValueFiles() {
		return this.found.gone().valueFiles();
	}

	private void rewriteIfLong() throws IOException {
		if (this.sizeBytes <= this.rewriteAboveBytes) {
			return;
		}
		ByteBuffer snapshot = ManifestLog.snapshot(this.live);
		int snapshotBytes = snapshot.remaining();
		this.rewriteAboveBytes = Math.max(this.rewriteMinBytes, REWRITE_RATIO * snapshotBytes);
		if (this.sizeBytes > this.rewriteAboveBytes) {
			rewrite(snapshot, snapshotBytes);
		}
	}

	private void rewrite(ByteBuffer snapshot, int snapshotBytes) throws IOException {
		Path temporary;
		try {
			temporary = DurableFiles.writeTemporary(this.file, snapshot);
		}
		catch (IOException ex) {
			this.rewriteAboveBytes = 2 * this.sizeBytes;
			logger.warn("{} could not be rewritten and goes on growing to {} bytes", this.file, this.rewriteAboveBytes,
					ex);
			return;
		}
		publish(temporary, snapshotBytes);
	}

	private void publish(Path temporary, int snapshotBytes) throws IOException {
		DurableFiles.publish(temporary, this.file);
		this.channel.close();
		this.channel = Channels.open(this.file, StandardOpenOption.WRITE);
		logger.info("{} was rewritten: {} bytes instead of {}", this.file, snapshotBytes, this.sizeBytes);
		this.sizeBytes = snapshotBytes;
	}

	/**
	 * Does nothing as long as edits are taken; to be called before work that would be in
	 * vain without its edit. Writes the manifest anew if edits need that.
	 * @throws DiskFullException when there is no room for it yet
	 * @throws StorageFailedException when an earlier edit could not be made durable
	 */
	public void requireUsable() {
		Throwable cause = this.failure;
		if (cause != null) {
			throw new StorageFailedException("%s takes no edits: %s".formatted(this.file, cause.getMessage()), cause);
		}
		if (this.doubtful) {
			heal();
		}
	}

	/**
	 * Takes no edit any more, so that no file changes that a start would rely on.
	 * @param cause failure of a file beside, of which it is unknown what a start finds
	 */
	public synchronized void refuse(StorageFailedException cause) {
		this.failure = cause;
	}

	private StorageFailedException fail(IOException cause) {
		this.failure = cause;
		return new StorageFailedException(
				"%s could not be written; it takes no edits until a restart: %s".formatted(this.file, cause), cause);
	}

	private static void requireNoData(Path directory) throws IOException {
		for (String name : new String[] { "tables", "values", "wal" }) {
			Path data = directory.resolve(name);
			if (Files.isDirectory(data) && !isEmpty(data)) {
				throw StorageStartException
					.atRisk("%s is missing, but %s has files: without it, it is unknown which are live"
						.formatted(directory.resolve(FILE_NAME), data), null);
			}
		}
	}

	private static boolean isEmpty(Path directory) throws IOException {
		try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
			return !files.iterator().hasNext();
		}
	}

}
