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
import io.quorate.storage.log.Batches;
import io.quorate.storage.log.LogFormat;
import io.quorate.storage.log.SegmentHeader;
import io.quorate.storage.record.MalformedEntryException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the hints of a segment that is not written any more. Damage is skipped up to the
 * next intact hint; an end that was never known to be fsynced is torn, which is no
 * damage.
 */
final class SegmentReader implements AutoCloseable {

	private static final int WINDOW_BYTES = 64 * 1024;

	private final long number;

	private final FileChannel channel;

	private final long size;

	private final @Nullable Batches batches;

	private ByteBuffer window = ByteBuffer.allocate(WINDOW_BYTES).limit(0);

	private long windowStart;

	private long offset;

	private long forced;

	private int damagedPlaces;

	private long inVain;

	private SegmentReader(long number, FileChannel channel, long offset) throws IOException {
		this.number = number;
		this.channel = channel;
		this.size = channel.size();
		SegmentHeader header = SegmentHeader.of(beginOf(channel), number);
		this.batches = (header != null) ? Batches.of(header, Hint.MAX_SIZE_BYTES) : null;
		this.offset = (header != null) ? Math.max(offset, SegmentHeader.SIZE) : this.size;
		this.damagedPlaces = (header == null && this.size > SegmentHeader.SIZE) ? 1 : 0;
	}

	private static ByteBuffer beginOf(FileChannel channel) throws IOException {
		ByteBuffer begin = ByteBuffer.allocate(SegmentHeader.SIZE);
		DurableFiles.readFully(channel, begin, 0);
		return begin.flip();
	}

	/** Refuses a segment that a newer program wrote. */
	static void requireReadable(Path file) throws IOException {
		try (FileChannel channel = Channels.open(file, StandardOpenOption.READ)) {
			OptionalInt version = SegmentHeader.unknownVersion(beginOf(channel));
			if (version.isPresent()) {
				throw StorageStartException.otherFormat(file, version.getAsInt(), SegmentHeader.VERSION);
			}
		}
	}

	/** Opens a reader at an offset at which a hint begins, or at the first hint. */
	static SegmentReader open(Path directory, long number, long offset) throws IOException {
		FileChannel channel = Channels.open(LogFormat.FILES.path(directory, number), StandardOpenOption.READ);
		try {
			return new SegmentReader(number, channel, offset);
		}
		catch (IOException failure) {
			channel.close();
			throw failure;
		}
	}

	/** The next intact hint, or {@code null} when there is no more. */
	@Nullable Hint next() throws IOException {
		Batches own = this.batches;
		long damagedFrom = -1;
		while (own != null && this.offset <= this.size - Batches.HEADER) {
			Hint hint = hintHere(own);
			if (hint != null) {
				this.damagedPlaces += (damagedFrom >= 0) ? 1 : 0;
				return hint;
			}
			damagedFrom = (damagedFrom >= 0) ? damagedFrom : this.offset;
			if (this.inVain > this.size) {
				giveUp();
				return null;
			}
			this.offset += Batches.ALIGNMENT;
		}
		this.damagedPlaces += (damagedFrom >= 0 && damagedFrom < this.forced) ? 1 : 0;
		return null;
	}

	private void giveUp() {
		this.damagedPlaces++;
		this.offset = this.size;
	}

	private @Nullable Hint hintHere(Batches own) throws IOException {
		show(Batches.HEADER);
		int claimed = own.isMarked(this.window, here()) ? own.claimedSize(this.window, here()) : 0;
		if (claimed == 0 || claimed > this.size - this.offset) {
			return null;
		}
		show(claimed);
		this.inVain += claimed;
		Hint hint = own.isIntact(this.window, here(), this.offset) ? decode() : null;
		if (hint != null) {
			this.inVain -= claimed;
			this.forced = Math.max(this.forced, Batches.forcedOffset(this.window, here()));
			this.offset += claimed;
		}
		return hint;
	}

	private @Nullable Hint decode() {
		List<Hint> hints = new ArrayList<>(1);
		try {
			Batches.read(this.window, here(), (key, entry) -> hints.add(new Hint(key, entry)));
			return (hints.size() == 1) ? hints.getFirst() : null;
		}
		catch (MalformedEntryException | IndexOutOfBoundsException | IllegalArgumentException none) {
			return null;
		}
	}

	private int here() {
		return Math.toIntExact(this.offset - this.windowStart);
	}

	/** Fills the window with at least so many bytes from the offset on. */
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

	/** Offset at which the hint after the last one begins. */
	long offset() {
		return this.offset;
	}

	/** Number of damaged places that were met so far. */
	int damagedPlaces() {
		return this.damagedPlaces;
	}

	@Override
	public void close() throws IOException {
		this.channel.close();
	}

}
