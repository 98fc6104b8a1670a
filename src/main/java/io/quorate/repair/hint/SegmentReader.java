package io.quorate.repair.hint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

import io.quorate.storage.StorageStartException;
import io.quorate.storage.file.Channels;
import io.quorate.storage.file.DurableFiles;
import io.quorate.storage.log.LogFormat;
import io.quorate.storage.record.MalformedEntryException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the hints of a segment that nobody writes any more. What is damaged is skipped up
 * to the next intact hint; an end that was never known to be on the disk is torn, which
 * is no damage.
 */
final class SegmentReader implements AutoCloseable {

	private static final int WINDOW_BYTES = 64 * 1024;

	private final long number;

	private final FileChannel channel;

	private final long size;

	private ByteBuffer window = ByteBuffer.allocate(WINDOW_BYTES).limit(0);

	private long windowStart;

	private long offset;

	private long forced;

	private int damagedPlaces;

	private SegmentReader(long number, FileChannel channel, long size, long offset) {
		this.number = number;
		this.channel = channel;
		this.size = size;
		this.offset = offset;
	}

	/** Refuses a segment that a newer program wrote. */
	static void requireReadable(Path file) throws IOException {
		try (FileChannel channel = Channels.open(file, StandardOpenOption.READ)) {
			ByteBuffer header = ByteBuffer.allocate(LogFormat.SEGMENT_HEADER);
			DurableFiles.readFully(channel, header, 0);
			OptionalInt version = LogFormat.foreignVersion(header.flip());
			if (version.isPresent()) {
				throw StorageStartException.newer(file, version.getAsInt(), LogFormat.VERSION);
			}
		}
	}

	/** A reader that begins at an offset at which a hint does. */
	static SegmentReader open(Path directory, long number, long offset) throws IOException {
		FileChannel channel = Channels.open(LogFormat.FILES.path(directory, number), StandardOpenOption.READ);
		try {
			return new SegmentReader(number, channel, channel.size(), offset);
		}
		catch (IOException failure) {
			channel.close();
			throw failure;
		}
	}

	/** The next intact hint, or {@code null} when there is no more. */
	@Nullable Hint next() throws IOException {
		long damagedFrom = -1;
		while (this.offset <= this.size - LogFormat.BATCH_HEADER) {
			Hint hint = hintHere();
			if (hint != null) {
				this.damagedPlaces += (damagedFrom >= 0) ? 1 : 0;
				return hint;
			}
			damagedFrom = (damagedFrom >= 0) ? damagedFrom : this.offset;
			this.offset += LogFormat.ALIGNMENT;
		}
		this.damagedPlaces += (damagedFrom >= 0 && damagedFrom < this.forced) ? 1 : 0;
		return null;
	}

	private @Nullable Hint hintHere() throws IOException {
		show(LogFormat.BATCH_HEADER);
		if (this.window.getInt(here()) != LogFormat.BATCH_MAGIC) {
			return null;
		}
		long length = LogFormat.BATCH_HEADER + (long) this.window.getInt(here() + Integer.BYTES);
		if (length < LogFormat.BATCH_HEADER || length > this.size - this.offset) {
			return null;
		}
		show((int) length);
		if (!LogFormat.isBatch(this.window, here(), this.number)) {
			return null;
		}
		Hint hint = decode();
		if (hint != null) {
			this.forced = Math.max(this.forced, LogFormat.batchForcedOffset(this.window, here()));
			this.offset += LogFormat.batchSize(this.window, here());
		}
		return hint;
	}

	private @Nullable Hint decode() {
		List<Hint> hints = new ArrayList<>(1);
		try {
			LogFormat.readBatch(this.window, here(), (key, entry) -> hints.add(new Hint(key, entry)));
			return (hints.size() == 1) ? hints.getFirst() : null;
		}
		catch (MalformedEntryException | IndexOutOfBoundsException | IllegalArgumentException none) {
			return null;
		}
	}

	private int here() {
		return Math.toIntExact(this.offset - this.windowStart);
	}

	/** Has so many bytes from the offset on in the window. */
	private void show(int length) throws IOException {
		if (this.offset >= this.windowStart && this.offset + length <= this.windowStart + this.window.limit()) {
			return;
		}
		int needed = Math.max(WINDOW_BYTES, length);
		if (this.window.capacity() != needed) {
			this.window = ByteBuffer.allocate(needed);
		}
		this.window.clear().limit((int) Math.min(needed, this.size - this.offset));
		DurableFiles.readFully(this.channel, this.window, this.offset);
		this.window.flip();
		this.windowStart = this.offset;
		if (this.window.limit() < length) {
			throw new IOException("segment %d has become shorter than %d bytes".formatted(this.number, this.size));
		}
	}

	/** Where the hint after the last one begins. */
	long offset() {
		return this.offset;
	}

	/** Places met so far at which hints were damaged. */
	int damagedPlaces() {
		return this.damagedPlaces;
	}

	@Override
	public void close() throws IOException {
		this.channel.close();
	}

}
