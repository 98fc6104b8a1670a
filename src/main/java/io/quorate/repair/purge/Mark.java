package io.quorate.repair.purge;

import io.quorate.clock.Timestamp;

/**
 * The limits of this node's last complete comparison with a peer. Every entry below both
 * limits was held by this node when the comparison began, was looked at, and is held by
 * the peer, too.
 *
 * @param sequence highest arrival sequence in this node's store when it began
 * @param instant hybrid time up to which timestamps were compared
 * @param completedNanos time at which it was complete, on the monotonic clock
 */
record Mark(long sequence, long instant, long completedNanos) {

	/** Whether an entry counts as compared. */
	boolean covers(Timestamp timestamp, long arrival) {
		return arrival <= this.sequence && Long.compareUnsigned(timestamp.hybrid(), this.instant) <= 0;
	}

}
