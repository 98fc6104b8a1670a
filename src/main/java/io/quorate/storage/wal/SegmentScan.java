package io.quorate.storage.wal;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import io.quorate.storage.log.LogFormat;

/**
 * Where in the bytes of a segment intact batches stand, and where there is damage. Looks
 * at bytes only; what is to be done about it is not its business.
 */
public final class SegmentScan {

	private final ByteBuffer content;

	private final long number;

	private final boolean header;

	private final boolean reused;

	private final List<Integer> batches = new ArrayList<>();

	private final List<Integer> behind = new ArrayList<>();

	private final int end;

	private final boolean dirty;

	private long forced;

	/**
	 * Goes over a segment.
	 * @param number that it has by its name
	 * @param knownForced up to where the header of the next segment knows it to be forced
	 */
	public SegmentScan(ByteBuffer content, long number, long knownForced) {
		this.content = content;
		this.number = number;
		this.forced = knownForced;
		this.header = LogFormat.readSegmentHeader(content, number).isPresent();
		this.reused = LogFormat.isReused(content, number);
		int start = Math.min(LogFormat.SEGMENT_HEADER, content.limit());
		this.end = this.header ? intactFrom(start) : 0;
		boolean ours = false;
		boolean more = hasContent(this.end);
		if (more) {
			lookBehind(this.header ? this.end : start);
			ours = !this.behind.isEmpty();
		}
		this.dirty = ours || (more && !this.reused);
	}

	private int intactFrom(int start) {
		int offset = start;
		while (LogFormat.isBatch(this.content, offset, this.number)) {
			this.batches.add(offset);
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

	/** What intact batches behind the damage know of how far the log was forced. */
	private void lookBehind(int from) {
		int at = LogFormat.align(from);
		while (at < this.content.limit()) {
			if (LogFormat.isBatch(this.content, at, this.number)) {
				this.forced = Math.max(this.forced, LogFormat.batchForcedOffset(this.content, at));
				this.behind.add(at);
				at += LogFormat.batchSize(this.content, at);
			}
			else {
				at += LogFormat.ALIGNMENT;
			}
		}
	}

	/** Up to where the segment is intact from its beginning on, 0 without a header. */
	public int end() {
		return this.end;
	}

	/** Up to where it is known to have been forced. */
	public long forced() {
		return this.forced;
	}

	/** Whether its file was made of that of an older segment. */
	public boolean isReused() {
		return this.reused;
	}

	/** Whether nothing was ever written to it. */
	public boolean isUnused() {
		return this.end == 0 && !this.dirty;
	}

	/** Whether something of its own stands behind what is intact. */
	public boolean isDirty() {
		return this.dirty;
	}

	/** Whether records are damaged of which it was known that they are on the disk. */
	public boolean isLossy() {
		return this.end < this.forced;
	}

	/** Where the batches begin that are intact from the beginning on. */
	public List<Integer> batches() {
		return this.batches;
	}

	/** Where the intact batches begin that stand behind damage. */
	public List<Integer> behind() {
		return this.behind;
	}

	/** What is damaged, as far as it was forced or intact batches stand behind it. */
	public List<Gap> gaps() {
		List<Gap> gaps = new ArrayList<>();
		int from = this.end;
		for (int at : this.behind) {
			addGap(gaps, from, at);
			from = at + LogFormat.batchSize(this.content, at);
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
	 * Bytes that are damaged.
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
