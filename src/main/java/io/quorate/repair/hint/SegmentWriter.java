package io.quorate.repair.hint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import io.quorate.storage.file.Channels;
import io.quorate.storage.file.DurableFiles;
import io.quorate.storage.log.LogFormat;

/**
 * The segment that hints are appended to. After a failure it takes no more: what was
 * flushed before can be read.
 */
final class SegmentWriter implements AutoCloseable {

	private static final int BUFFER_BYTES = 64 * 1024;

	private final long number;

	private final FileChannel channel;

	private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);

	private long flushed = LogFormat.SEGMENT_HEADER;

	private long forced;

	private SegmentWriter(long number, FileChannel channel) {
		this.number = number;
		this.channel = channel;
	}

	/** Makes the file of a segment. */
	static SegmentWriter create(Path directory, long number) throws IOException {
		FileChannel channel = Channels.open(LogFormat.FILES.path(directory, number), StandardOpenOption.CREATE_NEW,
				StandardOpenOption.WRITE);
		try {
			ByteBuffer header = ByteBuffer.allocate(LogFormat.SEGMENT_HEADER);
			LogFormat.writeSegmentHeader(header, number, 0, false);
			DurableFiles.writeFully(channel, header.flip(), 0);
			DurableFiles.forceDirectory(directory);
			return new SegmentWriter(number, channel);
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
			hint.write(large, this.number, this.forced);
			write(large.flip());
		}
		else {
			hint.write(this.buffer, this.number, this.forced);
		}
	}

	/** From now on the end of the process loses nothing that was appended. */
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

	/** How much of the file is good. */
	long flushed() {
		return this.flushed;
	}

	/** Waits until the disk has everything that was flushed. */
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
