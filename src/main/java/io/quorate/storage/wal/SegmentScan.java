package io.quorate.storage.wal;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.quorate.storage.log.Batches;
import io.quorate.storage.log.LogFormat;
import io.quorate.storage.log.SegmentHeader;
import org.jspecify.annotations.Nullable;

/**
 * A scan of the bytes of a segment, which finds its intact batches and its damage. It
 * reads bytes only; the caller decides what to do about damage.
 * <p>
 * Most of the bytes are those of clients, and must decide nothing. So batches are only
 * believed by the salt of the segment's header. A segment that was prepared and never
 * begun is not searched at all, whatever older bytes are in its file. And whatever the
 * bytes are, each is read a few times at the most.
 */
public final class SegmentScan {

	private final ByteBuffer content;

	private final @Nullable SegmentHeader header;

	private final @Nullable Batches known;

	private final List<Integer> batches = new ArrayList<>();

	private final List<Integer> behind = new ArrayList<>();

	private final boolean reused;

	private int end;

	private boolean dirty;

	private long forced;

	private long work;

	/**
	 * Scans a segment.
	 * @param number number by its name
	 * @param knownForced offset up to which it is fsynced by the header of the next
	 * segment
	 */
	public SegmentScan(ByteBuffer content, long number, long knownForced) {
		this.content = content;
		this.forced = knownForced;
		this.header = SegmentHeader.of(content, number);
		SegmentHeader any = SegmentHeader.of(content);
		this.reused = (this.header != null) ? this.header.isReused() : any != null;
		if (this.header != null) {
			this.known = Batches.of(this.header, LogFormat.MAX_BATCH);
			lookAtBegun();
		}
		else {
			this.known = null;
			this.dirty = any == null && hasContent(Math.min(SegmentHeader.SIZE, content.limit()));
			// Its header was on the disk before its first batch, and is damaged now.
			this.forced = this.dirty ? content.limit() : knownForced;
		}
	}

	private void lookAtBegun() {
		Batches own = Objects.requireNonNull(this.known);
		this.end = Math.min(SegmentHeader.SIZE, this.content.limit());
		while (isBatch(own, this.end)) {
			this.batches.add(this.end);
			this.forced = Math.max(this.forced, Batches.forcedOffset(this.content, this.end));
			this.end += Batches.size(this.content, this.end);
		}
		if (hasContent(this.end)) {
			lookBehind(own, this.end);
			this.dirty = !this.reused || !this.behind.isEmpty();
		}
	}

	private boolean isBatch(Batches own, int at) {
		if (!own.isMarked(this.content, at)) {
			return false;
		}
		this.work += checksummed(own, at);
		return own.isIntact(this.content, at, at);
	}

	/** Bytes that are compared to check a batch that begins with the mark of one. */
	private int checksummed(Batches own, int at) {
		int claimed = own.claimedSize(this.content, at);
		return (claimed - Batches.ALIGNMENT < this.content.limit() - at) ? claimed : 0;
	}

	private boolean hasContent(int from) {
		int at = from;
		while (at <= this.content.limit() - Long.BYTES && this.content.getLong(at) == 0) {
			at += Long.BYTES;
		}
		while (at < this.content.limit() && this.content.get(at) == 0) {
			at++;
		}
		this.work += at - from;
		return at < this.content.limit();
	}

	/**
	 * Takes from intact batches behind the damage the offset up to which the log was
	 * fsynced. Places that are marked as batches and are none, which only damage makes,
	 * may cost as much as the segment is long; then the search ends.
	 */
	private void lookBehind(Batches own, int from) {
		long inVain = 0;
		int at = Batches.align(from);
		while (at < this.content.limit() && inVain <= this.content.limit()) {
			if (!own.isMarked(this.content, at)) {
				at += Batches.ALIGNMENT;
			}
			else if (isBatch(own, at)) {
				this.forced = Math.max(this.forced, Batches.forcedOffset(this.content, at));
				this.behind.add(at);
				at += Batches.size(this.content, at);
			}
			else {
				inVain += checksummed(own, at);
				at += Batches.ALIGNMENT;
			}
		}
		this.work += at - from;
		if (at < this.content.limit()) {
			this.forced = Math.max(this.forced, at);
		}
	}

	/** Whether a batch that the scan found is still intact. */
	boolean isIntact(int offset) {
		return this.known != null && this.known.isIntact(this.content, offset, offset);
	}

	/** Bytes that were compared with a checksum or searched. */
	long work() {
		return this.work;
	}

	/** The version of its format; 0 when there is no header. */
	public int version() {
		return (this.header != null) ? SegmentHeader.VERSION : 0;
	}

	/**
	 * Offset up to which the segment is intact from its beginning on, 0 without a header.
	 */
	public int end() {
		return this.end;
	}

	/** Offset up to which the segment is known to have been fsynced. */
	public long forced() {
		return this.forced;
	}

	/** Whether the segment was never written to. */
	public boolean isUnused() {
		return this.end == 0 && !this.dirty;
	}

	/** Whether bytes of the segment's own stand behind its intact part. */
	public boolean isDirty() {
		return this.dirty;
	}

	/** Whether records are damaged that were known to be on the disk. */
	public boolean isLossy() {
		return this.end < this.forced;
	}

	/** Offsets of the batches that are intact from the beginning on. */
	public List<Integer> batches() {
		return this.batches;
	}

	/** Offsets of the intact batches behind damage. */
	public List<Integer> behind() {
		return this.behind;
	}

	/**
	 * The damaged ranges, up to the fsynced offset or the last intact batch behind them.
	 */
	public List<Gap> gaps() {
		List<Gap> gaps = new ArrayList<>();
		int from = this.end;
		for (int at : this.behind) {
			addGap(gaps, from, at);
			from = at + Batches.size(this.content, at);
		}
		addGap(gaps, from, Math.max(from, this.forced));
		return gaps;
	}

	private static void addGap(List<Gap> gaps, long from, long to) {
		if (to > from) {
			gaps.add(new Gap(from, to));
		}
	}

	/**
	 * A range of damaged bytes.
	 *
	 * @param from offset of the first, inclusive
	 * @param to exclusive
	 */
	public record Gap(long from, long to) {

		@Override
		public String toString() {
			return this.from + ".." + this.to;
		}

	}

}
