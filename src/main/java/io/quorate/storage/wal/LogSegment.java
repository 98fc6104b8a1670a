package io.quorate.storage.wal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import io.quorate.storage.file.Channels;
import io.quorate.storage.file.DirectoryEntries;
import io.quorate.storage.file.DurableFiles;
import io.quorate.storage.log.LogFormat;

/** The segment that is being written. Used by the log's thread alone. */
final class LogSegment implements AutoCloseable {

	/* Forced one by one: the disk takes the log's own forces between them. */
	private static final int ZEROS = 1 << 20;

	private final long number;

	private final FileChannel channel;

	private final long capacity;

	private long position = LogFormat.SEGMENT_HEADER;

	private long dataEnd = LogFormat.SEGMENT_HEADER;

	private long forced;

	private long marked;

	private LogSegment(long number, FileChannel channel, long capacity) {
		this.number = number;
		this.channel = channel;
		this.capacity = capacity;
	}

	/**
	 * Makes the file of a segment: zeros, forced, so that writing to it later changes
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
	 * Makes the file of a segment of that of an older one, which nobody needs any more:
	 * it has its place on the disk already.
	 */
	static void reuse(Path directory, long older, long number) throws IOException {
		DurableFiles.publish(LogFormat.FILES.path(directory, older), LogFormat.FILES.path(directory, number));
	}

	/** Begins to write a prepared segment. */
	static LogSegment begin(Path directory, long number, long previousForced) throws IOException {
		FileChannel channel = Channels.open(LogFormat.FILES.path(directory, number), StandardOpenOption.READ,
				StandardOpenOption.WRITE);
		try {
			LogSegment segment = new LogSegment(number, channel, channel.size());
			ByteBuffer header = ByteBuffer.allocate(LogFormat.SEGMENT_HEADER);
			DurableFiles.readFully(channel, header, 0);
			boolean reused = header.flip().hasRemaining() && header.getLong(0) != 0;
			LogFormat.writeSegmentHeader(header.clear(), number, previousForced, reused);
			DurableFiles.writeFully(channel, header.flip(), 0);
			return segment;
		}
		catch (IOException failure) {
			channel.close();
			throw failure;
		}
	}

	long number() {
		return this.number;
	}

	/** How far the segment is known to be on the disk. */
	long forced() {
		return this.forced;
	}

	boolean isForced() {
		return this.forced >= this.dataEnd;
	}

	/**
	 * Whether a batch of this size fits, with room left for the mark of the forced
	 * offset.
	 */
	boolean hasRoomFor(int batchSize) {
		return this.position + batchSize + LogFormat.BATCH_HEADER <= this.capacity;
	}

	/** Whether so large a part of it is used. */
	boolean isFull(double share) {
		return this.position >= share * this.capacity;
	}

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

	/** Whether a mark would say nothing new, or has no room. */
	boolean isMarked() {
		return this.marked == this.forced || !hasRoomFor(0);
	}

	/**
	 * Records how far the segment is forced, so that later damage before that offset is
	 * told from a torn tail. Not forced itself, and nothing is lost with it.
	 */
	void mark() throws IOException {
		if (isMarked()) {
			return;
		}
		ByteBuffer mark = ByteBuffer.allocate(LogFormat.BATCH_HEADER).position(LogFormat.BATCH_HEADER);
		LogFormat.finishBatch(mark, 0, 0, this.number, this.forced);
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
