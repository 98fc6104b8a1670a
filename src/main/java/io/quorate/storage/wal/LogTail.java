package io.quorate.storage.wal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of the log: the segment that is written, and the supply of its successors. Used
 * by the log's thread.
 */
final class LogTail {

	private static final Logger log = LoggerFactory.getLogger(LogTail.class);

	/* Least share of a segment, and of a memtable, that is used. */
	private static final double LEAST_SHARE = 0.75;

	/* From this share on, the next segment is requested, whatever it is made from. */
	private static final double HURRY_SHARE = 0.5;

	private final Path directory;

	private final SegmentSupply segments;

	private final RandomGenerator random;

	/*
	 * By number, offsets up to which the segment before and this one are known to be
	 * fsynced.
	 */
	private final Map<Long, Long> lengths = new TreeMap<>();

	private LogSegment segment;

	private double share;

	/**
	 * A tail that begins with the next segment of the supply.
	 * @param previousForced length of the segment before, all of it on the disk
	 * @param random chooses the share of each segment that is used
	 */
	LogTail(Path directory, SegmentSupply segments, long previousForced, RandomGenerator random) throws IOException {
		this.directory = directory;
		this.segments = segments;
		this.random = random;
		this.segment = LogSegment.begin(directory, segments.takeNow(), previousForced);
		this.share = nextShare();
	}

	/**
	 * The share of the next segment that is used. Replicas take the same writes: with
	 * different shares they do not flush and compact all at once.
	 */
	private double nextShare() {
		return this.random.nextDouble(LEAST_SHARE, 1);
	}

	/** Number of the segment. */
	long number() {
		return this.segment.number();
	}

	/** The share of the segment, and of its memtable, that is used. */
	double share() {
		return this.share;
	}

	/** Whether the share of the segment that is used is full. */
	boolean isFull() {
		return this.segment.isFull(this.share);
	}

	boolean hasRoomFor(int batchSize) {
		return this.segment.hasRoomFor(batchSize);
	}

	/** Requests the next segment, if this one is half full. */
	void hurry() {
		if (this.segment.isFull(HURRY_SHARE)) {
			this.segments.hurry();
		}
	}

	/** Appends a batch, whose records lie behind the room for its header. */
	int append(ByteBuffer batch, int records) throws IOException {
		this.segment.finish(batch, records);
		int sizeBytes = batch.flip().remaining();
		this.segment.append(batch);
		return sizeBytes;
	}

	/** Makes a segment longer that begins with more promises than a quarter of it. */
	void carried() {
		this.segment.carried();
	}

	boolean isForced() {
		return this.segment.isForced();
	}

	void force() throws IOException {
		this.segment.force();
		if (!this.lengths.containsKey(this.segment.number())) {
			// Once for each segment: from then on a start knows that it was written.
			this.lengths.put(this.segment.number(), this.segment.forced());
			this.segments.forced(this.lengths);
		}
	}

	boolean isMarked() {
		return this.segment.isMarked();
	}

	/** Records on the disk up to where the segment is fsynced. */
	void mark() throws IOException {
		this.segment.mark();
	}

	/**
	 * The next segment, if it is there.
	 * @param isAwaited whether to wait for it
	 */
	SegmentSupply.Next next(boolean isAwaited) {
		return isAwaited ? this.segments.await() : this.segments.poll();
	}

	/** Begins the next segment. */
	void rotate(long number) throws IOException {
		LogSegment full = this.segment;
		this.lengths.clear();
		this.lengths.put(full.number(), full.forced());
		this.segment = LogSegment.begin(this.directory, number, full.forced());
		this.share = nextShare();
		full.close();
	}

	void close() throws IOException {
		this.segment.close();
	}

	/** Closes the segment of a log that has failed. */
	void closeQuietly() {
		try {
			this.segment.close();
		}
		catch (IOException failure) {
			log.warn("Segment {} of the log in {} could not be closed", this.segment.number(), this.directory, failure);
		}
	}

}
