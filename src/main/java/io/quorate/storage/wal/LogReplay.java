package io.quorate.storage.wal;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.quorate.entry.Key;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.file.DurableFiles;
import io.quorate.storage.log.LogFormat;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.record.StoredEntry.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the segments that a process left behind.
 * <p>
 * Damage at or behind the highest offset that any intact batch of a segment (or the
 * header of the next) knows to be forced is a torn tail: it is cut off, also when intact
 * batches follow it, for nothing behind it was acknowledged as durable. Damage before
 * that offset has taken acknowledged writes, and refuses the start. What an older segment
 * has left in a reused file is neither.
 */
public final class LogReplay {

	private static final Logger log = LoggerFactory.getLogger(LogReplay.class);

	private final Path directory;

	private final Predicate<Reference> intact;

	/**
	 * A replay of the segments in a directory.
	 * @param intact whether the value that an entry refers to is there undamaged; asked
	 * only for entries that are not known to be forced
	 */
	public LogReplay(Path directory, Predicate<Reference> intact) {
		this.directory = directory;
		this.intact = intact;
	}

	/** Numbers of the segments in the directory, in order. */
	public static List<Long> segments(Path directory) throws IOException {
		try (Stream<Path> files = Files.list(directory)) {
			return files.map(LogFormat.FILES::numberOf)
				.filter(OptionalLong::isPresent)
				.map(OptionalLong::getAsLong)
				.sorted()
				.toList();
		}
	}

	/** The file of a segment. */
	public static Path file(Path directory, long number) {
		return LogFormat.FILES.path(directory, number);
	}

	/**
	 * Hands over the records of a segment in order, cuts its torn tail off, and forces
	 * the rest, of which only the end of a process may have been survived until then.
	 * @return length of what is intact; 0 when the segment was never used
	 * @throws StorageStartException when forced records are damaged
	 */
	public long replay(long number, Visitor visitor) throws IOException {
		Path file = LogFormat.FILES.path(this.directory, number);
		long nextKnows = previousForced(number + 1);
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			Scan scan = scan(file, number, channel, nextKnows, visitor);
			if (scan.torn()) {
				log.warn("Cut the torn tail of {}: {} bytes from offset {} on, none of them acknowledged as durable",
						file, channel.size() - scan.end, scan.end);
				channel.truncate(scan.end);
			}
			channel.force(true);
			return scan.unused ? 0 : scan.end;
		}
	}

	private Scan scan(Path file, long number, FileChannel channel, long nextKnows, Visitor visitor) throws IOException {
		try (Arena arena = Arena.ofConfined()) {
			ByteBuffer content = channel.map(MapMode.READ_ONLY, 0, channel.size(), arena).asByteBuffer();
			Scan scan = new Scan(number, content);
			scan.run(nextKnows);
			scan.refuseLoss(file);
			scan.visit(visitor);
			return scan;
		}
		catch (InternalError unreadable) {
			// What a mapping cannot read it tells so.
			throw new IOException("%s cannot be read: %s".formatted(file, unreadable.getMessage()), unreadable);
		}
	}

	private long previousForced(long number) throws IOException {
		Path file = LogFormat.FILES.path(this.directory, number);
		if (!Files.exists(file)) {
			return 0;
		}
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
			ByteBuffer header = ByteBuffer.allocate(LogFormat.SEGMENT_HEADER);
			DurableFiles.readFully(channel, header, 0);
			return LogFormat.readSegmentHeader(header.flip(), number).orElse(0);
		}
	}

	/** Takes what a replay finds. */
	@FunctionalInterface
	public interface Visitor {

		/** The next record of the segment. */
		void record(Key key, StoredEntry entry);

	}

	/** One pass over a segment. */
	private final class Scan {

		private final long number;

		private final ByteBuffer content;

		private int end;

		private long forced;

		private boolean dirty;

		private boolean reused;

		private boolean unused;

		private Scan(long number, ByteBuffer content) {
			this.number = number;
			this.content = content;
		}

		private void run(long knownForced) {
			this.forced = knownForced;
			boolean header = LogFormat.readSegmentHeader(this.content, this.number).isPresent();
			int start = Math.min(LogFormat.SEGMENT_HEADER, this.content.limit());
			this.end = header ? intactFrom(start) : 0;
			int rest = header ? this.end : start;
			this.reused = LogFormat.isReused(this.content, this.number);
			if (hasContent(this.end)) {
				boolean ours = lookBehind(rest);
				this.dirty = ours || !this.reused;
			}
			this.unused = this.end == 0 && !this.dirty;
		}

		private int intactFrom(int start) {
			int offset = start;
			while (LogFormat.isBatch(this.content, offset, this.number)) {
				this.forced = Math.max(this.forced, LogFormat.batchForcedOffset(this.content, offset));
				offset += LogFormat.batchSize(this.content, offset);
			}
			return offset;
		}

		private boolean hasContent(int from) {
			int at = from;
			while (at <= this.content.limit() - Long.BYTES && this.content.getLong(at) == 0) {
				at += Long.BYTES;
			}
			while (at < this.content.limit() && this.content.get(at) == 0) {
				at++;
			}
			return at < this.content.limit();
		}

		/**
		 * What intact batches behind the damage know of how far the log was forced; says
		 * whether there are any.
		 */
		private boolean lookBehind(int from) {
			boolean found = false;
			for (int at = LogFormat.align(from); at < this.content.limit(); at += LogFormat.ALIGNMENT) {
				if (LogFormat.isBatch(this.content, at, this.number)) {
					this.forced = Math.max(this.forced, LogFormat.batchForcedOffset(this.content, at));
					found = true;
				}
			}
			return found;
		}

		private void refuseLoss(Path file) {
			if (this.end < this.forced) {
				throw new StorageStartException(
						("%s is damaged at offset %d, before offset %d up to which it was forced "
								+ "to the disk: acknowledged writes in these %d bytes are at risk. Restore the directory from a "
								+ "backup, or start with an empty directory and let the other replicas fill it.")
							.formatted(file, this.end, this.forced, this.forced - this.end),
						null);
			}
		}

		private void visit(Visitor visitor) {
			int offset = LogFormat.SEGMENT_HEADER;
			while (offset < this.end) {
				if (offset >= this.forced && !valuesIntact(offset)) {
					this.end = offset;
					this.dirty = true;
					return;
				}
				LogFormat.readBatch(this.content, offset, visitor::record);
				offset += LogFormat.batchSize(this.content, offset);
			}
		}

		private boolean valuesIntact(int offset) {
			boolean[] all = { true };
			LogFormat.readBatch(this.content, offset,
					(key, entry) -> all[0] &= !(entry.payload() instanceof Reference reference)
							|| LogReplay.this.intact.test(reference));
			return all[0];
		}

		private boolean torn() {
			return this.dirty;
		}

	}

}
