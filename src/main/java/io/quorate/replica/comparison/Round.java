package io.quorate.replica.comparison;

import io.quorate.clock.Timestamp;

/**
 * One comparison of two stores.
 *
 * @param number hybrid time at which it began: the later of two rounds has the higher
 * number
 * @param instant hybrid time; entries with a later timestamp are left out on both sides,
 * for they may not have reached both nodes yet. If it is the number, the round is a copy,
 * and leaves out none: an older entry that a late one has replaced at its source could
 * not be copied any more
 */
public record Round(long number, long instant) {

	/** A round that copies all entries, whatever their timestamps. */
	public static Round ofCopy(long number) {
		return new Round(number, number);
	}

	/** Whether an entry with this timestamp is compared. */
	public boolean includes(Timestamp timestamp) {
		return this.instant == this.number || Long.compareUnsigned(timestamp.hybrid(), this.instant) <= 0;
	}

	/** Whether another round began before this one. */
	public boolean isAfter(Round other) {
		return Long.compareUnsigned(this.number, other.number) > 0;
	}

	/** The instant, in milliseconds since the epoch. */
	public long instantMillis() {
		return Timestamp.millisOfHybrid(this.instant);
	}

	/** Time at which the round began, in milliseconds since the epoch. */
	public long millis() {
		return Timestamp.millisOfHybrid(this.number);
	}

}
