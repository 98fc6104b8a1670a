package io.quorate.storage.values;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;

import io.quorate.entry.Value;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageFailedException;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.file.Channels;
import io.quorate.storage.file.DirectoryEntries;
import io.quorate.storage.file.DurableFiles;
import io.quorate.storage.file.NumberedFiles;
import io.quorate.storage.file.UncachedReader;
import io.quorate.storage.record.StoredEntry.Deleted;
import io.quorate.storage.record.StoredEntry.Inline;
import io.quorate.storage.record.StoredEntry.Promised;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.record.StoredEntry;
import org.jspecify.annotations.Nullable;

/**
 * One file of large values, written once and read by reference: a header, then the
 * values, each behind eight bytes of checksum and length:
 *
 * <pre>
 * magic 8 | format version 4 | CRC32C of these 4
 * CRC32C 4 | length 4 | bytes
 * </pre>
 *
 * The references to values know their places, so a damaged header costs nothing.
 * <p>
 * Read by any number of threads, appended to by one. It has a reference count of
 * everything that may refer to it (tables, memtables, a writer), and is given up when the
 * last of these releases it.
 */
public final class ValueFile {

	/** The names of value files. */
	public static final NumberedFiles FILES = new NumberedFiles(".vlog");

	/** The version of the format. */
	public static final int VERSION = 1;

	/**
	 * "QRTVALUE" in ASCII: as a checksum and a length, it would give a value of too great
	 * a length.
	 */
	private static final long MAGIC = 0x51525456414c5545L;

	private static final int HEADER = Long.BYTES + 2 * Integer.BYTES;

	private static final int FRAME = 2 * Integer.BYTES;

	private final long number;

	private final Path path;

	/* Channels that were replaced and may still be read. */
	private final List<FileChannel> replaced = new ArrayList<>();

	private volatile FileChannel channel;

	/*
	 * Whether an fsync has failed for want of room, so that the file is not to be
	 * trusted.
	 */
	private boolean doubtful;

	private boolean forcedAsFound;

	/* A copy is as large as the file, and an fsync may come every few milliseconds. */
	private final RetryPause betweenCopies = new RetryPause(System::nanoTime);

	private @Nullable Throwable notCopied;

	private final AtomicInteger holders = new AtomicInteger();

	private volatile long sizeBytes;

	private volatile boolean complete;

	private ValueFile(long number, Path path, FileChannel channel) {
		this.number = number;
		this.path = path;
		this.channel = channel;
	}

	/** The CRC32C of an entry's value, wherever it is stored; 0 for a tombstone. */
	public static int checksum(StoredEntry entry) {
		return switch (entry.payload()) {
			case Inline inline -> crc(ByteBuffer.wrap(inline.value().array()));
			case Reference reference -> reference.crc();
			case Deleted _, Promised _ -> 0;
		};
	}

	static ValueFile create(Path directory, long number) throws IOException {
		Path path = FILES.path(directory, number);
		FileChannel channel = Channels.open(path, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
				StandardOpenOption.READ, StandardOpenOption.WRITE);
		try {
			ValueFile file = new ValueFile(number, path, channel);
			DurableFiles.writeFully(channel, header(), 0);
			file.sizeBytes = HEADER;
			DurableFiles.forceDirectory(directory);
			return file;
		}
		catch (IOException failure) {
			channel.close();
			throw failure;
		}
	}

	private static ByteBuffer header() {
		ByteBuffer header = ByteBuffer.allocate(HEADER).putLong(MAGIC).putInt(VERSION);
		return header.putInt(crc(header.duplicate().flip())).flip();
	}

	/**
	 * The version of a file's format; 0 when its header is damaged.
	 * @throws StorageStartException when a newer program wrote it
	 */
	public static int version(Path path) throws IOException {
		try (FileChannel channel = Channels.open(path, StandardOpenOption.READ)) {
			return requireReadable(path, channel);
		}
	}

	private static int requireReadable(Path path, FileChannel channel) throws IOException {
		ByteBuffer header = ByteBuffer.allocate(HEADER);
		if (DurableFiles.readFully(channel, header, 0) < HEADER || header.getLong(0) != MAGIC
				|| header.getInt(HEADER - Integer.BYTES) != crc(header.slice(0, HEADER - Integer.BYTES))) {
			return 0;
		}
		int version = header.getInt(Long.BYTES);
		if (version != VERSION) {
			throw StorageStartException.otherFormat(path, version, VERSION);
		}
		return version;
	}

	static ValueFile open(Path directory, long number) throws IOException {
		Path path = FILES.path(directory, number);
		FileChannel channel = Channels.open(path, StandardOpenOption.READ);
		try {
			requireReadable(path, channel);
			ValueFile file = new ValueFile(number, path, channel);
			file.complete(channel.size());
			return file;
		}
		catch (IOException | RuntimeException refused) {
			channel.close();
			throw refused;
		}
	}

	long number() {
		return this.number;
	}

	Path path() {
		return this.path;
	}

	/** Whether the file is complete: no further value is appended. */
	boolean isComplete() {
		return this.complete;
	}

	/** Number of bytes that were written. */
	long sizeBytes() {
		return this.sizeBytes;
	}

	void complete(long sizeBytes) {
		this.sizeBytes = sizeBytes;
		this.complete = true;
	}

	void retain() {
		this.holders.incrementAndGet();
	}

	/** Releases the file; true for the last release. */
	boolean release() {
		return this.holders.decrementAndGet() == 0;
	}

	boolean isHeld() {
		return this.holders.get() > 0;
	}

	/** Writes a value behind {@code offset} and returns the reference to it. */
	Reference append(Value value, long offset) throws IOException {
		int crc = crc(ByteBuffer.wrap(value.array()));
		ByteBuffer frame = ByteBuffer.allocate(FRAME).putInt(crc).putInt(value.size()).flip();
		DurableFiles.writeFully(this.channel, frame, offset);
		ByteBuffer bytes = ByteBuffer.wrap(value.array());
		DurableFiles.writeFully(this.channel, bytes, offset + FRAME);
		this.sizeBytes = offset + FRAME + value.size();
		return new Reference(this.number, offset + FRAME, value.size(), crc);
	}

	static long endOf(Reference reference) {
		return reference.offset() + reference.length();
	}

	/**
	 * Fsyncs the written bytes, up to an offset. A failed fsync is not tried again: the
	 * content of the file is written to another one, which takes its place. When that
	 * fails, too, further calls fail for a while without another attempt.
	 */
	void force(long end) throws IOException {
		if (this.doubtful) {
			rescueIfDue(end);
			return;
		}
		try {
			this.channel.force(false);
		}
		catch (IOException failure) {
			this.doubtful = true;
			if (!Channels.isFull(failure)) {
				throw failure;
			}
			rescueIfDue(end);
		}
	}

	/** Makes the next fsync try everything, whatever failed a moment ago. */
	void retryAtOnce() {
		this.betweenCopies.end();
	}

	private void rescueIfDue(long end) throws IOException {
		Throwable before = this.notCopied;
		if (before != null && !this.betweenCopies.isOver()) {
			throw new IOException("%s is not on the disk, and could not be copied a moment ago".formatted(this.path),
					before);
		}
		try {
			rescue(end);
			this.notCopied = null;
			this.betweenCopies.end();
		}
		catch (IOException | RuntimeException | Error failure) {
			this.notCopied = failure;
			this.betweenCopies.begin();
			throw failure;
		}
	}

	private void rescue(long end) throws IOException {
		Path temporary = DurableFiles.temporary(this.path);
		FileChannel copy = Channels.open(temporary, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
				StandardOpenOption.READ, StandardOpenOption.WRITE);
		try {
			copyIntact(copy, end);
			copy.force(true);
			DurableFiles.publish(temporary, this.path);
		}
		catch (IOException | RuntimeException | Error failure) {
			copy.close();
			DirectoryEntries.deleteIfExists(temporary);
			throw failure;
		}
		this.replaced.add(this.channel);
		this.channel = copy;
		this.doubtful = false;
	}

	/**
	 * Copies the values, each checked: a page that the kernel has dropped must not be
	 * made to look sound.
	 */
	private void copyIntact(FileChannel copy, long end) throws IOException {
		DurableFiles.writeFully(copy, header(), 0);
		long at = HEADER;
		while (at < end) {
			ByteBuffer frame = ByteBuffer.allocate(FRAME);
			DurableFiles.readFully(this.channel, frame, at);
			if (frame.hasRemaining()) {
				throw new IOException("%s ends at %d before %d".formatted(this.path, at, end));
			}
			int crc = frame.flip().getInt();
			Value value = read(new Reference(this.number, at + FRAME, frame.getInt(), crc));
			DurableFiles.writeFully(copy, frame.rewind(), at);
			DurableFiles.writeFully(copy, ByteBuffer.wrap(value.array()), at + FRAME);
			at += FRAME + value.size();
		}
	}

	/**
	 * Waits until the disk has all that was found when the file was opened. Until then,
	 * the file of an earlier process may have survived only the end of that process, and
	 * not a power failure. Does nothing the second time; called by one thread.
	 */
	void forceAsFound() throws IOException {
		if (!this.forcedAsFound) {
			this.channel.force(false);
			this.forcedAsFound = true;
		}
	}

	Value read(Reference reference) {
		ByteBuffer bytes = ByteBuffer.allocate(reference.length());
		try {
			DurableFiles.readFully(this.channel, bytes, reference.offset());
		}
		catch (IOException failure) {
			throw new StorageFailedException(
					"%s cannot be read at offset %d: %s".formatted(this.path, reference.offset(), failure), failure);
		}
		if (bytes.hasRemaining()) {
			throw corrupted(this.path, reference,
					"the file ends %d bytes before the value does".formatted(bytes.remaining()));
		}
		if (crc(bytes.flip()) != reference.crc()) {
			throw corrupted(this.path, reference,
					"the checksum of a value of %d bytes is wrong".formatted(reference.length()));
		}
		return Value.wrap(bytes.array());
	}

	/**
	 * Compares a value with its checksum.
	 * @throws StorageCorruptedException when it is damaged
	 */
	public static void verify(Path path, Reference reference, UncachedReader reader) throws IOException {
		CRC32C crc = new CRC32C();
		try {
			reader.read(path, reference.offset(), reference.length(), crc::update);
		}
		catch (NoSuchFileException missing) {
			throw new StorageCorruptedException(path, reference.offset(), "the file is missing", missing);
		}
		if ((int) crc.getValue() != reference.crc()) {
			throw corrupted(path, reference,
					"the checksum of a value of %d bytes is wrong".formatted(reference.length()));
		}
	}

	private static StorageCorruptedException corrupted(Path path, Reference reference, String detail) {
		return new StorageCorruptedException(path, reference.offset(), detail, null);
	}

	void close() throws IOException {
		for (FileChannel old : this.replaced) {
			old.close();
		}
		this.channel.close();
	}

	private static int crc(ByteBuffer bytes) {
		CRC32C crc = new CRC32C();
		crc.update(bytes);
		return (int) crc.getValue();
	}

}
