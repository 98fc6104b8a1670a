package io.quorate.storage.wal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import io.quorate.storage.file.Channels;
import io.quorate.storage.file.DirectoryEntries;
import io.quorate.storage.file.DurableFiles;
import io.quorate.storage.log.Batches;
import io.quorate.storage.log.LogFormat;
import io.quorate.storage.log.SegmentHeader;

/** The segment that is being written. Used by the log's thread alone. */
final class LogSegment implements AutoCloseable {

	/*
	 * Size of one write of zeros. Each is fsynced by itself, so that the disk can do the
	 * log's own fsyncs between them.
	 */
	private static final int ZEROS = 1 << 20;

	/* Of which the carried records take one. */
	private static final int CARRIED_PARTS = 4;

	private final long number;

	private final FileChannel channel;

	private long capacity;

	private final Batches batches;

	private long position = SegmentHeader.SIZE;

	private long dataEnd = SegmentHeader.SIZE;

	private long forced = SegmentHeader.SIZE;

	private long marked = SegmentHeader.SIZE;

	private LogSegment(SegmentHeader header, FileChannel channel, long capacity) {
		this.number = header.number();
		this.channel = channel;
		this.capacity = capacity;
		this.batches = Batches.of(header, LogFormat.MAX_BATCH);
	}

	/**
	 * Makes the file of a segment: zeros, fsynced, so that later writes to it change
	 * nothing but data.
	 */
	static void prepare(Path directory, long number, long sizeBytes) throws IOException {
		Path file = LogFormat.FILES.path(directory, number);
		Path temporary = DurableFiles.temporary(file);
		try (FileChannel channel = Channels.open(temporary, StandardOpenOption.CREATE,
				StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
			ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(ZEROS, sizeBytes));
			for (long at = 0; at < sizeBytes;) {
				zeros.clear().limit((int) Math.min(zeros.capacity(), sizeBytes - at));
				at += channel.write(zeros, at);
				channel.force(false);
			}
			channel.force(true);
		}
		catch (IOException failure) {
			DirectoryEntries.deleteIfExists(temporary);
			throw failure;
		}
		DurableFiles.publish(temporary, file);
	}

	/**
	 * Makes the file of a segment from that of an older one that is not needed any more:
	 * it has its place on the disk already.
	 */
	static void reuse(Path directory, long older, long number) throws IOException {
		DurableFiles.publish(LogFormat.FILES.path(directory, older), LogFormat.FILES.path(directory, number));
	}

	/**
	 * Whether a file can become a segment: with neither a header nor zeros at its
	 * beginning, it would count as a segment whose header is damaged.
	 */
	static boolean isUsable(Path file) throws IOException {
		try (FileChannel channel = Channels.open(file, StandardOpenOption.READ)) {
			ByteBuffer begin = beginOf(channel);
			return SegmentHeader.of(begin) != null || isZero(begin);
		}
	}

	/**
	 * Begins to write a prepared segment. Its header is on the disk before anything else
	 * is written to it: a segment with records and without a header is damaged.
	 */
	static LogSegment begin(Path directory, long number, long previousForced) throws IOException {
		FileChannel channel = Channels.open(LogFormat.FILES.path(directory, number), StandardOpenOption.READ,
				StandardOpenOption.WRITE);
		try {
			SegmentHeader header = SegmentHeader.begun(number, previousForced, !isZero(beginOf(channel)));
			ByteBuffer bytes = ByteBuffer.allocate(SegmentHeader.SIZE);
			header.write(bytes);
			DurableFiles.writeFully(channel, bytes.flip(), 0);
			channel.force(false);
			return new LogSegment(header, channel, channel.size());
		}
		catch (IOException failure) {
			channel.close();
			throw failure;
		}
	}

	private static ByteBuffer beginOf(FileChannel channel) throws IOException {
		ByteBuffer begin = ByteBuffer.allocate(SegmentHeader.SIZE);
		DurableFiles.readFully(channel, begin, 0);
		return begin.flip();
	}

	private static boolean isZero(ByteBuffer bytes) {
		return bytes.mismatch(ByteBuffer.allocate(bytes.limit())) < 0;
	}

	long number() {
		return this.number;
	}

	/** Offset up to which the segment is known to be on the disk. */
	long forced() {
		return this.forced;
	}

	boolean isForced() {
		return this.forced >= this.dataEnd;
	}

	/**
	 * Whether a batch of this size fits, with room left for the mark of the fsynced
	 * offset.
	 */
	boolean hasRoomFor(int batchSize) {
		return this.position + batchSize + Batches.HEADER <= this.capacity;
	}

	/** Leaves room for entries behind the records that the segment begins with. */
	void carried() {
		this.capacity = Math.max(this.capacity, CARRIED_PARTS * this.position);
	}

	/** Whether at least this share of the segment is used. */
	boolean isFull(double share) {
		return this.position >= share * this.capacity;
	}

	/** Completes a batch of this segment that stands at the beginning of a buffer. */
	void finish(ByteBuffer batch, int records) {
		this.batches.finish(batch, 0, records, this.forced);
	}

	/** Writes a batch that {@link #finish} has completed. */
	void append(ByteBuffer batch) throws IOException {
		write(batch);
		this.dataEnd = this.position;
	}

	/** Waits until the disk has everything that was appended. */
	void force() throws IOException {
		long end = this.position;
		this.channel.force(false);
		this.forced = end;
	}

	/** Whether a mark would add nothing, or has no room. */
	boolean isMarked() {
		return this.marked == this.forced || !hasRoomFor(0);
	}

	/**
	 * Records the offset up to which the segment is fsynced, so that later damage before
	 * that offset can be distinguished from a torn tail. The mark itself is not fsynced,
	 * and nothing is lost with it.
	 */
	void mark() throws IOException {
		if (isMarked()) {
			return;
		}
		ByteBuffer mark = ByteBuffer.allocate(Batches.HEADER).position(Batches.HEADER);
		finish(mark, 0);
		write(mark.flip());
		this.marked = this.forced;
	}

	private void write(ByteBuffer bytes) throws IOException {
		int size = bytes.remaining();
		DurableFiles.writeFully(this.channel, bytes, this.position);
		this.position += size;
	}

	@Override
	public void close() throws IOException {
		this.channel.close();
	}

}
