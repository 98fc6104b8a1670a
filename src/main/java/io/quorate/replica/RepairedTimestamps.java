package io.quorate.replica;

import java.util.TreeMap;

import io.quorate.clock.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * The timestamps of entries that have come to this replica by another way than from the
 * coordinator of their write. Such an entry may have been held here, read, and
 * overwritten before the coordinator's own message arrives. If it is known that it was
 * held, it is acknowledged to the coordinator, too. Timestamps up to a floor are not
 * remembered: their entries were held at the start, or there were too many. Safe for any
 * number of threads.
 */
final class RepairedTimestamps {

	private static final int MOST = 10_000;

	private static final Arrival COMING = new Arrival(Replica.UNPLANNED, null);

	private final TreeMap<Timestamp, Arrival> stamps = new TreeMap<>();

	private Timestamp floor;

	/**
	 * The arrival of an entry.
	 *
	 * @param layout version of the layout under which it was planned
	 * @param ack ack of the entry; {@code null} while it is being stored, and of one that
	 * was superseded or could not be stored
	 */
	private record Arrival(long layout, WriteReply.@Nullable Applied ack) {
	}

	/** Remembers no timestamps up to the floor. */
	RepairedTimestamps(Timestamp floor) {
		this.floor = floor;
	}

	/** Records the timestamp of an entry before it is stored. */
	synchronized void add(Timestamp stamp) {
		if (stamp.isAfter(this.floor) && this.stamps.putIfAbsent(stamp, COMING) == null && this.stamps.size() > MOST) {
			this.floor = this.stamps.pollFirstEntry().getKey();
		}
	}

	/**
	 * Records that an entry is on the disk, and was the newest one of its key.
	 * @param layout version of the layout under which it was planned
	 */
	synchronized void held(Timestamp stamp, long layout, WriteReply.Applied ack) {
		this.stamps.replace(stamp, new Arrival(layout, ack));
	}

	/**
	 * The ack of an entry that was held, {@code null} if it is not known to have been. By
	 * another layout an ack would say nothing: it says that this replica had acknowledged
	 * nothing newer, and other replicas may have been those of the key.
	 * @param layout version of the layout under which the write is planned
	 */
	synchronized WriteReply.@Nullable Applied ackOf(Timestamp stamp, long layout) {
		Arrival arrival = this.stamps.get(stamp);
		return (arrival != null && arrival.layout() == layout && layout != Replica.UNPLANNED) ? arrival.ack() : null;
	}

	/** Raises the floor to a timestamp, up to which not every one is known. */
	synchronized void forget(Timestamp upTo) {
		if (upTo.isAfter(this.floor)) {
			this.floor = upTo;
			this.stamps.headMap(upTo, true).clear();
		}
	}

	/** Whether the entry with this timestamp may have come by another way. */
	synchronized boolean mayContain(Timestamp stamp) {
		return !stamp.isAfter(this.floor) || this.stamps.containsKey(stamp);
	}

}
