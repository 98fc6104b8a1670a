package io.quorate.repair.hint;

/** The state of one file of hints. Used by one thread. */
final class Segment {

	final long number;

	long sizeBytes;

	/** Offset up to which all hints are settled; 0 when none is. */
	long settledTo;

	/** Number of hints behind {@link #settledTo}, none of which is settled. */
	long owed;

	/** Number of hints that the handoff has read and that are not settled. */
	int underWay;

	/** Whether its hints have been counted. */
	boolean isCounted;

	/** Whether the handoff has read all hints that can be read. */
	boolean isExhausted;

	private long oldestMillis = Long.MAX_VALUE;

	private long newestMillis = Long.MIN_VALUE;

	Segment(long number, long sizeBytes) {
		this.number = number;
		this.sizeBytes = sizeBytes;
	}

	void add(Hint hint) {
		this.owed++;
		this.oldestMillis = Math.min(this.oldestMillis, hint.millis());
		this.newestMillis = Math.max(this.newestMillis, hint.millis());
	}

	void settle(StoredHint hint) {
		this.settledTo = hint.end();
		this.owed = Math.max(0, this.owed - 1);
		this.underWay--;
		this.oldestMillis = Math.max(this.oldestMillis, Math.min(hint.millis(), this.newestMillis));
	}

	boolean isDone() {
		return this.isExhausted && this.underWay == 0;
	}

	/** Whether all its hints are older than that, and none is under way. */
	boolean isOlderThan(long millis) {
		return this.isCounted && this.underWay == 0 && this.newestMillis < millis;
	}

	long unsettledBytes() {
		return Math.max(0, this.sizeBytes - this.settledTo);
	}

	/**
	 * Time at which the oldest hint was written, about; {@link Long#MAX_VALUE} for none.
	 */
	long oldestMillis() {
		return (this.owed > 0) ? this.oldestMillis : Long.MAX_VALUE;
	}

}
