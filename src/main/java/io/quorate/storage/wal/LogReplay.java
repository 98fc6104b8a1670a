package io.quorate.storage.wal;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;

import io.quorate.entry.Key;
import io.quorate.storage.StorageStartException;
import io.quorate.storage.file.Channels;
import io.quorate.storage.file.DurableFiles;
import io.quorate.storage.log.Batches;
import io.quorate.storage.log.LogFormat;
import io.quorate.storage.log.SegmentHeader;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.record.StoredEntry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the segments that a process left behind.
 * <p>
 * Damage at or behind the highest fsynced offset that any intact batch of a segment (or
 * the header of the next) records is a torn tail: it is cut off, also when intact batches
 * follow it, for nothing behind it was acknowledged as durable. Damage before that offset
 * has taken acknowledged writes, and refuses the start. Bytes that an older segment has
 * left in a reused file are neither.
 */
public final class LogReplay {

	private static final Logger log = LoggerFactory.getLogger(LogReplay.class);

	private static final int REWRITE_BYTES = 1 << 20;

	private final Path directory;

	private final Values values;

	private final Map<Long, Long> forcedLengths;

	/**
	 * A replay of the segments in a directory.
	 * @param values checked only for entries that are not known to be fsynced
	 */
	public LogReplay(Path directory, Values values) {
		this(directory, values, Map.of());
	}

	/**
	 * A replay of the segments in a directory.
	 * @param values checked only for entries that are not known to be fsynced
	 * @param forcedLengths by number of a segment, the fsynced length that is recorded
	 * elsewhere
	 */
	public LogReplay(Path directory, Values values, Map<Long, Long> forcedLengths) {
		this.directory = directory;
		this.values = values;
		this.forcedLengths = Map.copyOf(forcedLengths);
	}

	/**
	 * Numbers of the segments in a directory, in order; none if it does not exist, as
	 * before the first start after a restore.
	 */
	public static List<Long> segments(Path directory) throws IOException {
		if (!Files.isDirectory(directory)) {
			return List.of();
		}
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
	 * Refuses segments that a newer program wrote, before any segment is changed.
	 * @throws StorageStartException when there is one
	 */
	public static void requireReadable(Path directory) throws IOException {
		for (long number : segments(directory)) {
			Path file = file(directory, number);
			OptionalInt version = SegmentHeader.unknownVersion(header(file));
			if (version.isPresent()) {
				throw StorageStartException.otherFormat(file, version.getAsInt(), SegmentHeader.VERSION);
			}
		}
	}

	/**
	 * Hands over the records of a segment in order and cuts its torn tail off. Records
	 * that so far may have survived only the end of a process, and not a power failure,
	 * are on the disk before they are handed over.
	 * @return length of the intact part; 0 when the segment was never used
	 * @throws StorageStartException when fsynced records are damaged
	 */
	public long replay(long number, Visitor visitor) throws IOException {
		Path file = file(this.directory, number);
		long knownForced = knownForced(number);
		try (FileChannel channel = Channels.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			SegmentScan scan;
			long end;
			try (Arena arena = Arena.ofConfined()) {
				ByteBuffer content = channel.map(MapMode.READ_ONLY, 0, channel.size(), arena).asByteBuffer();
				scan = new SegmentScan(content, number, knownForced);
				refuseLoss(file, scan);
				// The padding of the last batch may be cut off.
				rewrite(channel, scan.forced(), Math.min(scan.end(), content.limit()));
				end = visit(content, scan, visitor);
			}
			catch (InternalError unreadable) {
				// A mapping reports with this error that the disk cannot be read.
				throw new IOException("%s cannot be read: %s".formatted(file, unreadable.getMessage()), unreadable);
			}
			if (scan.isDirty() || end < scan.end()) {
				log.warn("Cut the torn tail of {}: {} bytes from offset {} on, none of them acknowledged as durable",
						file, channel.size() - end, end);
				channel.truncate(end);
			}
			channel.force(true);
			return scan.isUnused() ? 0 : end;
		}
	}

	/**
	 * Writes the bytes that are not known to be on the disk once more at their place, and
	 * fsyncs them. When an fsync has failed in the process before, its pages may be clean
	 * and on no disk: another fsync alone would succeed, and prove nothing.
	 */
	private static void rewrite(FileChannel channel, long from, long end) throws IOException {
		if (from >= end) {
			return;
		}
		ByteBuffer piece = ByteBuffer.allocateDirect((int) Math.min(REWRITE_BYTES, end - from));
		for (long at = from; at < end; at += piece.limit()) {
			piece.clear().limit((int) Math.min(piece.capacity(), end - at));
			if (DurableFiles.readFully(channel, piece, at) < piece.limit()) {
				throw new EOFException("The log segment ends before offset " + end);
			}
			DurableFiles.writeFully(channel, piece.flip(), at);
		}
		channel.force(false);
	}

	/**
	 * Hands over the intact records of a damaged segment in order, those behind damage
	 * too. The file stays as it is.
	 * @return offset at which the last of them ends
	 */
	public long salvage(long number, Visitor visitor) throws IOException {
		return look(number, (content, scan) -> {
			long end = visit(content, scan, visitor);
			for (int offset : scan.behind()) {
				if (offset < scan.forced() || valuesIntact(content, offset)) {
					Batches.read(content, offset, visitor::record);
					end = (long) offset + Batches.size(content, offset);
				}
			}
			return end;
		});
	}

	/** Scans the bytes of a segment, which stay mapped as long as the look lasts. */
	public <T> T look(long number, Look<T> look) throws IOException {
		try (FileChannel channel = Channels.open(file(this.directory, number), StandardOpenOption.READ);
				Arena arena = Arena.ofConfined()) {
			ByteBuffer content = channel.map(MapMode.READ_ONLY, 0, channel.size(), arena).asByteBuffer();
			return look.at(content, new SegmentScan(content, number, knownForced(number)));
		}
	}

	/**
	 * The fsynced length by the header of the next segment and by the records elsewhere.
	 */
	private long knownForced(long number) throws IOException {
		return Math.max(previousForced(number + 1), this.forcedLengths.getOrDefault(number, 0L));
	}

	private long previousForced(long number) throws IOException {
		Path file = LogFormat.FILES.path(this.directory, number);
		if (!Files.exists(file)) {
			return 0;
		}
		SegmentHeader header = SegmentHeader.of(header(file), number);
		return (header != null) ? header.previousForced() : 0;
	}

	private static ByteBuffer header(Path file) throws IOException {
		try (FileChannel channel = Channels.open(file, StandardOpenOption.READ)) {
			ByteBuffer header = ByteBuffer.allocate(SegmentHeader.SIZE);
			DurableFiles.readFully(channel, header, 0);
			return header.flip();
		}
	}

	private static void refuseLoss(Path file, SegmentScan scan) {
		if (scan.isLossy()) {
			throw StorageStartException
				.atRisk(("%s is damaged at offset %d, before offset %d up to which it was fsynced: "
						+ "acknowledged writes are at risk, those in these %d bytes")
					.formatted(file, scan.end(), scan.forced(), scan.forced() - scan.end()), null);
		}
	}

	/** Returns the offset up to which records were handed over. */
	private long visit(ByteBuffer content, SegmentScan scan, Visitor visitor) throws IOException {
		for (int offset : scan.batches()) {
			if (offset >= scan.forced() && !(scan.isIntact(offset) && valuesIntact(content, offset))) {
				return offset;
			}
			Batches.read(content, offset, visitor::record);
		}
		return scan.end();
	}

	private boolean valuesIntact(ByteBuffer content, int offset) throws IOException {
		List<Reference> references = new ArrayList<>();
		Batches.read(content, offset, (_, entry) -> {
			if (entry.payload() instanceof Reference reference) {
				references.add(reference);
			}
		});
		for (Reference reference : references) {
			if (!this.values.areIntact(reference)) {
				return false;
			}
		}
		return true;
	}

	/** Checks the values that entries refer to. */
	@FunctionalInterface
	public interface Values {

		/**
		 * Whether the bytes of a value are on the disk undamaged.
		 * @throws IOException when the value cannot be checked
		 */
		boolean areIntact(Reference reference) throws IOException;

	}

	/** Receives the records that a replay finds. */
	@FunctionalInterface
	public interface Visitor {

		/** The next record of the segment. */
		void record(Key key, StoredEntry entry);

	}

	/**
	 * Inspects a segment.
	 *
	 * @param <T> result of the inspection
	 */
	@FunctionalInterface
	public interface Look<T> {

		/** The result for the segment's bytes and their scan. */
		T at(ByteBuffer content, SegmentScan scan) throws IOException;

	}

}
