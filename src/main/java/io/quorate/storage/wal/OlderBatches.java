package io.quorate.storage.wal;

import java.nio.ByteBuffer;

import io.quorate.entry.Key;
import io.quorate.storage.log.Batches;
import io.quorate.storage.log.LogFormat;
import io.quorate.storage.record.MalformedEntryException;
import io.quorate.storage.record.StoredEntry;

/**
 * Checks batches of a segment of format version 1, which are marked by nothing secret: a
 * batch that a client has sent as a value has the right checksum, too. The checks demand
 * what the program that wrote such segments always did, which makes a forged batch harder
 * and not impossible.
 */
final class OlderBatches {

	/* Least size of a record. */
	private static final int LEAST_RECORD = 28;

	private final ByteBuffer content;

	private long sequence;

	private long forced;

	OlderBatches(ByteBuffer content) {
		this.content = content;
	}

	/** Whether an intact batch can be the one after those before. */
	boolean follows(int at) {
		return take(at, Long.MAX_VALUE);
	}

	/**
	 * Whether an intact batch can stand at such a distance behind damage. One without
	 * records is not accepted: it contains nothing that a client cannot know.
	 */
	boolean mayFollow(int at, int distance) {
		return Batches.records(this.content, at) > 0 && take(at, distance / LEAST_RECORD);
	}

	private boolean take(int at, long mostMissing) {
		long known = Batches.forcedOffset(this.content, at);
		Records records = new Records();
		if (known < this.forced || !records.areWhole(at)) {
			return false;
		}
		if (records.count > 0) {
			boolean isFirst = this.sequence == 0;
			long missing = records.last - records.count - this.sequence;
			if (!isFirst && (missing < 0 || missing > mostMissing)) {
				return false;
			}
			this.sequence = records.last;
		}
		this.forced = known;
		return true;
	}

	/** The records of a batch, which have consecutive numbers. */
	private final class Records {

		private int count;

		private long last;

		private int sizeBytes = Batches.HEADER;

		private boolean isRow = true;

		private boolean areWhole(int at) {
			int end = Batches.size(OlderBatches.this.content, at);
			try {
				Batches.read(OlderBatches.this.content.slice(at, Math.min(end, left(at))), 0, this::add);
			}
			catch (MalformedEntryException | IndexOutOfBoundsException | IllegalArgumentException
					| NegativeArraySizeException none) {
				return false;
			}
			return this.isRow && Batches.align(this.sizeBytes) == end;
		}

		private int left(int at) {
			return OlderBatches.this.content.limit() - at;
		}

		private void add(Key key, StoredEntry entry) {
			this.isRow &= this.count == 0 || entry.sequence() == this.last + 1;
			this.count++;
			this.last = entry.sequence();
			this.sizeBytes += LogFormat.recordSize(key, entry);
		}

	}

}
