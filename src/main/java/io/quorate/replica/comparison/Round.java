package io.quorate.replica.comparison;

import io.quorate.clock.Timestamp;

/**
 * One comparison of two stores.
 *
 * @param number hybrid time at which it began: the later of two rounds has the higher
 * number
 * @param instant hybrid time; what is stamped later is left out on both sides, for it may
 * still be on its way
 */
public record Round(long number, long instant) {

	/** Whether an entry with this stamp is compared. */
	public boolean includes(Timestamp timestamp) {
		return Long.compareUnsigned(timestamp.hybrid(), this.instant) <= 0;
	}

	/** Whether another round began before this one. */
	public boolean isAfter(Round other) {
		return Long.compareUnsigned(this.number, other.number) > 0;
	}

	/** The instant, in milliseconds since the epoch. */
	public long instantMillis() {
		return Timestamp.millisOfHybrid(this.instant);
	}

	/** When it began, in milliseconds since the epoch. */
	public long millis() {
		return Timestamp.millisOfHybrid(this.number);
	}

}
