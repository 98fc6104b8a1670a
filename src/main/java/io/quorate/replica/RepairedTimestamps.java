package io.quorate.replica;

import java.util.TreeSet;

import io.quorate.clock.Timestamp;

/**
 * The timestamps of entries that have come to this replica by another way than from the
 * coordinator of their write. Such an entry may have been held here, read, and
 * overwritten before the coordinator's own message arrives. Timestamps up to a floor are
 * not remembered: their entries were held at the start, or there were too many. Safe for
 * any number of threads.
 */
final class RepairedTimestamps {

	private static final int MOST = 10_000;

	private final TreeSet<Timestamp> stamps = new TreeSet<>();

	private Timestamp floor;

	/** Remembers no timestamps up to the floor. */
	RepairedTimestamps(Timestamp floor) {
		this.floor = floor;
	}

	/** Records the timestamp of an entry before it is stored. */
	synchronized void add(Timestamp stamp) {
		if (stamp.isAfter(this.floor) && this.stamps.add(stamp) && this.stamps.size() > MOST) {
			this.floor = this.stamps.removeFirst();
		}
	}

	/** Raises the floor to a timestamp, up to which not every one is known. */
	synchronized void forget(Timestamp upTo) {
		if (upTo.isAfter(this.floor)) {
			this.floor = upTo;
			this.stamps.headSet(upTo, true).clear();
		}
	}

	/** Whether the entry with this timestamp may have come by another way. */
	synchronized boolean mayContain(Timestamp stamp) {
		return !stamp.isAfter(this.floor) || this.stamps.contains(stamp);
	}

}
