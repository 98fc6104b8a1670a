package io.quorate.repair.hint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.quorate.repair.hint.HintMetrics.Drop;
import io.quorate.storage.file.DirectoryEntries;
import io.quorate.storage.log.LogFormat;
import io.quorate.storage.log.SegmentHeader;
import io.quorate.storage.thread.RepeatedWarnings;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log of the hints for one member: segments in a directory of their own, appended to at
 * one end, read and deleted at the other. Used by one thread.
 * <p>
 * Invariants: (1) after {@link #flush} has returned, appended hints survive the end of
 * the process, and after {@link #force} a power failure; (2) hints are handed over in the
 * order of their arrival; (3) after a restart a hint that is not settled is handed over
 * again, and a settled one may be; (4) files of an earlier process are never written. A
 * hint that cannot be written is lost and counted, and is no error for the caller.
 */
final class HintLog implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(HintLog.class);

	private final RepeatedWarnings failing = new RepeatedWarnings();

	private static final int MAX_SEGMENT_BYTES = 16 << 20;

	private static final int LEAST_SEGMENTS = 8;

	private final Path directory;

	private final long maxBytes;

	private final long segmentBytes;

	private final HintMetrics.Peer metrics;

	private final Deque<Segment> segments = new ArrayDeque<>();

	private long lastNumber;

	private Position saved;

	private @Nullable SegmentWriter writer;

	private int unflushed;

	private @Nullable SegmentReader reader;

	private HintLog(Path directory, long maxBytes, HintMetrics.Peer metrics, Position saved) {
		this.directory = directory;
		this.maxBytes = maxBytes;
		this.segmentBytes = Math.min(MAX_SEGMENT_BYTES, maxBytes / LEAST_SEGMENTS);
		this.metrics = metrics;
		this.saved = saved;
	}

	/**
	 * Opens a directory, and makes it if need be. Of the segments it reads only the
	 * version of the format.
	 * @throws io.quorate.storage.StorageStartException when a newer program wrote one
	 */
	static HintLog open(Path directory, long maxBytes, HintMetrics.Peer metrics) throws IOException {
		DirectoryEntries.makeDirectories(directory);
		HintLog opened = new HintLog(directory, maxBytes, metrics, Position.load(directory));
		opened.findSegments();
		return opened;
	}

	private void findSegments() throws IOException {
		this.lastNumber = this.saved.segment();
		long[] numbers = numbers(this.directory);
		for (long number : numbers) {
			SegmentReader.requireReadable(LogFormat.FILES.path(this.directory, number));
		}
		for (long number : numbers) {
			Path file = LogFormat.FILES.path(this.directory, number);
			this.lastNumber = Math.max(this.lastNumber, number);
			if (number < this.saved.segment()) {
				DirectoryEntries.delete(file);
				continue;
			}
			Segment segment = new Segment(number, Files.size(file));
			segment.settledTo = (number == this.saved.segment()) ? this.saved.offset() : 0;
			this.segments.add(segment);
		}
	}

	private static long[] numbers(Path directory) throws IOException {
		try (Stream<Path> files = Files.list(directory)) {
			return files.map(LogFormat.FILES::numberOf)
				.filter(OptionalLong::isPresent)
				.flatMapToLong((number) -> LongStream.of(number.getAsLong()))
				.sorted()
				.toArray();
		}
	}

	/** Appends a hint, or drops it when there is no room for it. */
	void append(Hint hint) {
		int size = hint.sizeBytes();
		if (bytes() + size + SegmentHeader.SIZE > this.maxBytes) {
			this.metrics.dropped(Drop.FULL, 1);
			return;
		}
		Segment segment = segmentFor(size);
		this.unflushed++;
		segment.add(hint);
		segment.sizeBytes += size;
		try {
			writerOf(segment).append(hint);
		}
		catch (IOException failure) {
			abandon(failure);
		}
	}

	private long bytes() {
		long sum = 0;
		for (Segment segment : this.segments) {
			sum += segment.sizeBytes;
		}
		return sum;
	}

	private Segment segmentFor(int size) {
		Segment last = this.segments.peekLast();
		if (this.writer != null && last != null && last.sizeBytes + size > this.segmentBytes) {
			seal();
		}
		if (this.writer == null || last == null) {
			last = new Segment(++this.lastNumber, SegmentHeader.SIZE);
			last.isCounted = true;
			this.segments.add(last);
		}
		return last;
	}

	private SegmentWriter writerOf(Segment segment) throws IOException {
		if (this.writer == null) {
			this.writer = SegmentWriter.create(this.directory, segment.number);
		}
		return this.writer;
	}

	/** Writes the appended hints to the operating system. */
	void flush() {
		try {
			if (this.writer != null) {
				this.writer.flush();
			}
			this.metrics.stored(this.unflushed);
			this.unflushed = 0;
		}
		catch (IOException failure) {
			abandon(failure);
		}
	}

	/** Fsyncs the flushed hints. */
	void force() {
		try {
			if (this.writer != null) {
				this.writer.force();
			}
		}
		catch (IOException failure) {
			abandon(failure);
		}
	}

	/** Ends the last segment: nothing is appended to it any more. */
	private void seal() {
		flush();
		force();
		closeWriter();
	}

	/* A segment that could not be written is not tried again: the next one is begun. */
	private void abandon(IOException failure) {
		String end = this.failing.due(System.nanoTime());
		if (end != null) {
			log.warn("Hints could not be written to {}: {} are lost, and those not fsynced yet may be: {}{}",
					this.directory, this.unflushed, failure, end);
		}
		this.metrics.dropped(Drop.FAILED, this.unflushed);
		Segment last = this.segments.getLast();
		last.owed -= this.unflushed;
		last.sizeBytes = (this.writer != null) ? this.writer.flushed() : SegmentHeader.SIZE;
		this.unflushed = 0;
		closeWriter();
		if (last.owed == 0 && last.underWay == 0) {
			this.segments.removeLast();
			delete(last);
		}
	}

	private void closeWriter() {
		if (this.writer != null) {
			close(this.writer);
			this.writer = null;
		}
	}

	/**
	 * Counts the hints of one segment that an earlier process has left, if there is one.
	 */
	boolean count() {
		for (Segment segment : this.segments) {
			if (!segment.isCounted) {
				count(segment);
				return true;
			}
		}
		return false;
	}

	private void count(Segment segment) {
		segment.isCounted = true;
		try (SegmentReader all = SegmentReader.open(this.directory, segment.number, segment.settledTo)) {
			for (Hint hint = all.next(); hint != null; hint = all.next()) {
				segment.add(hint);
			}
		}
		catch (IOException failure) {
			log.warn("{} cannot be read", LogFormat.FILES.path(this.directory, segment.number), failure);
		}
	}

	/** The next hint to be handed over, or {@code null} when there is none. */
	@Nullable StoredHint next() {
		Segment segment = unread();
		while (segment != null) {
			StoredHint hint = nextOf(segment);
			if (hint != null) {
				return hint;
			}
			segment = unread();
		}
		return null;
	}

	private @Nullable Segment unread() {
		for (Segment segment : this.segments) {
			if (!segment.isExhausted) {
				return segment;
			}
		}
		return null;
	}

	private @Nullable StoredHint nextOf(Segment segment) {
		try {
			SegmentReader from = readerOf(segment);
			Hint hint = from.next();
			if (hint != null) {
				segment.underWay++;
				return new StoredHint(segment, hint, from.offset());
			}
			damaged(segment, from.damagedPlaces());
		}
		catch (IOException failure) {
			log.warn("The rest of {} cannot be read", LogFormat.FILES.path(this.directory, segment.number), failure);
			this.metrics.dropped(Drop.DAMAGED, Math.max(1, segment.owed - segment.underWay));
		}
		exhausted(segment);
		return null;
	}

	private SegmentReader readerOf(Segment segment) throws IOException {
		if (this.reader == null) {
			if (this.writer != null && segment == this.segments.peekLast()) {
				seal();
			}
			if (!segment.isCounted) {
				count(segment);
			}
			this.reader = SegmentReader.open(this.directory, segment.number, segment.settledTo);
		}
		return this.reader;
	}

	private void damaged(Segment segment, int places) {
		if (places > 0) {
			log.warn("{} is damaged in {} places: the hints there are lost",
					LogFormat.FILES.path(this.directory, segment.number), places);
			this.metrics.dropped(Drop.DAMAGED, places);
		}
	}

	private void exhausted(Segment segment) {
		segment.isExhausted = true;
		closeReader();
		removeDone();
	}

	/**
	 * Settles all hints up to this one, in the order in which {@link #next} returned
	 * them.
	 */
	void settle(StoredHint hint) {
		hint.segment().settle(hint);
		removeDone();
	}

	private void removeDone() {
		Segment first = this.segments.peekFirst();
		while (first != null && first.isDone()) {
			this.segments.removeFirst();
			delete(first);
			first = this.segments.peekFirst();
		}
	}

	/** Drops the segments whose hints were all written before that time. */
	void dropOlderThan(long millis) {
		Segment first = this.segments.peekFirst();
		while (first != null && first.isOlderThan(millis)) {
			if (this.writer != null && this.segments.size() == 1) {
				seal();
			}
			if (first == unread()) {
				closeReader();
			}
			this.segments.remove(first);
			this.metrics.dropped(Drop.EXPIRED, first.owed);
			delete(first);
			first = this.segments.peekFirst();
		}
	}

	/** Deletes the log with all its hints, which nothing needs any more. */
	void discard() {
		closeWriter();
		closeReader();
		this.segments.forEach(this::delete);
		this.segments.clear();
		this.unflushed = 0;
		try {
			DirectoryEntries.deleteIfExists(this.directory.resolve(Position.FILE_NAME));
			DirectoryEntries.deleteIfExists(this.directory);
		}
		catch (IOException failure) {
			log.warn("{} cannot be deleted; its hints are for a node that has left", this.directory, failure);
		}
	}

	/** Deletes the log of a node that has left, which is not open. */
	static void delete(Path directory) throws IOException {
		for (long number : numbers(directory)) {
			DirectoryEntries.deleteIfExists(LogFormat.FILES.path(directory, number));
		}
		DirectoryEntries.deleteIfExists(directory.resolve(Position.FILE_NAME));
		DirectoryEntries.deleteIfExists(directory);
	}

	private void delete(Segment segment) {
		Path file = LogFormat.FILES.path(this.directory, segment.number);
		try {
			DirectoryEntries.deleteIfExists(file);
		}
		catch (IOException failure) {
			log.warn("{} cannot be deleted; its hints are handed over again after the next start", file, failure);
		}
	}

	/** Saves the position of the handoff. */
	void savePosition() {
		Segment first = this.segments.peekFirst();
		if (first == null || (first.number == this.saved.segment() && first.settledTo == this.saved.offset())) {
			return;
		}
		Position position = new Position(first.number, first.settledTo);
		try {
			position.save(this.directory);
			this.saved = position;
		}
		catch (IOException failure) {
			log.warn("The position of the handoff in {} cannot be saved; hints are handed over again: {}",
					this.directory, failure.toString());
		}
	}

	boolean isEmpty() {
		return this.segments.isEmpty();
	}

	/** The size of the backlog. */
	BacklogSize backlogSize() {
		long count = 0;
		long bytes = 0;
		long oldest = Long.MAX_VALUE;
		for (Segment segment : this.segments) {
			count += segment.owed;
			bytes += segment.unsettledBytes();
			oldest = Math.min(oldest, segment.oldestMillis());
		}
		return new BacklogSize(count, bytes, oldest);
	}

	private void closeReader() {
		if (this.reader != null) {
			close(this.reader);
			this.reader = null;
		}
	}

	private void close(AutoCloseable file) {
		try {
			file.close();
		}
		catch (Exception failure) {
			log.warn("A file in {} could not be closed", this.directory, failure);
		}
	}

	@Override
	public void close() {
		seal();
		closeReader();
		savePosition();
	}

}
