package io.quorate.repair.hint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import io.quorate.storage.file.Channels;
import io.quorate.storage.file.DurableFiles;
import io.quorate.storage.log.Batches;
import io.quorate.storage.log.LogFormat;
import io.quorate.storage.log.SegmentHeader;

/**
 * The writer of the segment that hints are appended to. After a failure it takes no more
 * hints; those flushed before can be read.
 */
final class SegmentWriter implements AutoCloseable {

	private static final int BUFFER_BYTES = 64 * 1024;

	private final Batches batches;

	private final FileChannel channel;

	private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);

	private long flushed = SegmentHeader.SIZE;

	private long forced = SegmentHeader.SIZE;

	private SegmentWriter(SegmentHeader header, FileChannel channel) {
		this.batches = Batches.of(header, Hint.MAX_SIZE_BYTES);
		this.channel = channel;
	}

	/** Makes the file of a segment, durably: without its header no hint is read. */
	static SegmentWriter create(Path directory, long number) throws IOException {
		FileChannel channel = Channels.open(LogFormat.FILES.path(directory, number), StandardOpenOption.CREATE_NEW,
				StandardOpenOption.WRITE);
		try {
			SegmentHeader header = SegmentHeader.begun(number, 0, false);
			ByteBuffer bytes = ByteBuffer.allocate(SegmentHeader.SIZE);
			header.write(bytes);
			DurableFiles.writeFully(channel, bytes.flip(), 0);
			channel.force(true);
			DurableFiles.forceDirectory(directory);
			return new SegmentWriter(header, channel);
		}
		catch (IOException failure) {
			channel.close();
			throw failure;
		}
	}

	void append(Hint hint) throws IOException {
		int size = hint.sizeBytes();
		if (size > this.buffer.remaining()) {
			flush();
		}
		if (size > this.buffer.capacity()) {
			ByteBuffer large = ByteBuffer.allocate(size);
			hint.write(large, this.batches, this.forced);
			write(large.flip());
		}
		else {
			hint.write(this.buffer, this.batches, this.forced);
		}
	}

	/**
	 * Writes the appended hints to the operating system: they survive the end of the
	 * process.
	 */
	void flush() throws IOException {
		if (this.buffer.position() > 0) {
			write(this.buffer.flip());
			this.buffer.clear();
		}
	}

	private void write(ByteBuffer bytes) throws IOException {
		int size = bytes.remaining();
		DurableFiles.writeFully(this.channel, bytes, this.flushed);
		this.flushed += size;
	}

	/** Offset up to which the file is written. */
	long flushed() {
		return this.flushed;
	}

	/** Fsyncs everything that was flushed. */
	void force() throws IOException {
		if (this.forced < this.flushed) {
			this.channel.force(false);
			this.forced = this.flushed;
		}
	}

	@Override
	public void close() throws IOException {
		this.channel.close();
	}

}
