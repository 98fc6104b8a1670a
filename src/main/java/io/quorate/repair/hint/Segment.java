package io.quorate.repair.hint;

/** What is known of a file of hints. Used by one thread. */
final class Segment {

	final long number;

	long sizeBytes;

	/** Up to where hints are settled, all before it included; 0 when none is. */
	long settledTo;

	/** Hints from there on that are not settled. */
	long owed;

	/** Hints that were given out and are not settled. */
	int underWay;

	/** Whether its hints have been counted. */
	boolean isCounted;

	/** Whether all hints that can be read have been given out. */
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

	/** Whether all of it is older than that, and none of it under way. */
	boolean isOlderThan(long millis) {
		return this.isCounted && this.underWay == 0 && this.newestMillis < millis;
	}

	long unsettledBytes() {
		return Math.max(0, this.sizeBytes - this.settledTo);
	}

	/** When the oldest was written, about; {@link Long#MAX_VALUE} when there is none. */
	long oldestMillis() {
		return (this.owed > 0) ? this.oldestMillis : Long.MAX_VALUE;
	}

}
