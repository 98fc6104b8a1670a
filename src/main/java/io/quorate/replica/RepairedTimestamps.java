package io.quorate.replica;

import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
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

	private static final CompletableFuture<Void> SETTLED = CompletableFuture.completedFuture(null);

	private final TreeMap<Timestamp, Arrivals> stamps = new TreeMap<>();

	private Timestamp floor;

	/**
	 * An entry as it comes.
	 *
	 * @param layout version of the layout under which the request was planned
	 */
	record Arrival(Key key, Timestamp stamp, long layout) {
	}

	/** The arrivals of an entry by other ways, of which there may be several at once. */
	private static final class Arrivals {

		private int underWay;

		private boolean mayHaveBeenHeld;

		/* The last one that was held. */
		private @Nullable Arrival held;

		private WriteReply.@Nullable Applied ack;

		private @Nullable CompletableFuture<Void> settled;

		/** The future of those who wait until now. Later ones get another. */
		private CompletableFuture<Void> awaited() {
			CompletableFuture<Void> awaited = (this.settled != null) ? this.settled : SETTLED;
			this.settled = null;
			return awaited;
		}

	}

	/** Remembers no timestamps up to the floor. */
	RepairedTimestamps(Timestamp floor) {
		this.floor = floor;
	}

	/** Records the timestamp of an entry before it is stored. */
	void begin(Timestamp stamp) {
		var _ = begun(stamp).complete(null);
	}

	/* All futures are completed outside the lock: those who wait go on. */
	private synchronized CompletableFuture<Void> begun(Timestamp stamp) {
		if (!stamp.isAfter(this.floor)) {
			return SETTLED;
		}
		this.stamps.computeIfAbsent(stamp, (_) -> new Arrivals()).underWay++;
		if (this.stamps.size() <= MOST) {
			return SETTLED;
		}
		var oldest = this.stamps.pollFirstEntry();
		this.floor = oldest.getKey();
		return oldest.getValue().awaited();
	}

	/** An entry is on the disk, and was the newest one of its key. */
	void held(Arrival arrival, WriteReply.Applied ack) {
		var _ = ended(arrival, true, ack).complete(null);
	}

	/**
	 * An entry was not stored as the newest one of its key.
	 * @param mayHaveBeenHeld whether it is not certain that no read has found this
	 * arrival of it
	 */
	void notHeld(Arrival arrival, boolean mayHaveBeenHeld) {
		var _ = ended(arrival, mayHaveBeenHeld, null).complete(null);
	}

	private synchronized CompletableFuture<Void> ended(Arrival arrival, boolean mayHaveBeenHeld,
			WriteReply.@Nullable Applied ack) {
		Arrivals its = this.stamps.get(arrival.stamp());
		if (its == null) {
			return SETTLED;
		}
		its.mayHaveBeenHeld |= mayHaveBeenHeld;
		if (ack != null) {
			its.held = arrival;
			its.ack = ack;
		}
		if (--its.underWay > 0) {
			return SETTLED;
		}
		if (!its.mayHaveBeenHeld) {
			this.stamps.remove(arrival.stamp());
		}
		return its.awaited();
	}

	/** Completes when what has come of an entry by other ways is stored, or is not. */
	synchronized CompletableFuture<Void> settled(Timestamp stamp) {
		Arrivals its = this.stamps.get(stamp);
		if (its == null || its.underWay == 0) {
			return SETTLED;
		}
		CompletableFuture<Void> settled = (its.settled != null) ? its.settled : new CompletableFuture<>();
		its.settled = settled;
		return settled;
	}

	/**
	 * The ack of an entry that was held, {@code null} if it is not known to have been by
	 * the same layout. By another one an ack would say nothing: it says that this replica
	 * had acknowledged nothing newer, and other replicas may have been those of the key.
	 */
	synchronized WriteReply.@Nullable Applied ackOf(Arrival arrival) {
		Arrivals its = this.stamps.get(arrival.stamp());
		return (its != null && arrival.layout() != Replica.UNPLANNED && arrival.equals(its.held)) ? its.ack : null;
	}

	/** Raises the floor to a timestamp, up to which not every one is known. */
	void forget(Timestamp upTo) {
		forgotten(upTo).forEach((awaited) -> awaited.complete(null));
	}

	private synchronized List<CompletableFuture<Void>> forgotten(Timestamp upTo) {
		if (!upTo.isAfter(this.floor)) {
			return List.of();
		}
		this.floor = upTo;
		var forgotten = this.stamps.headMap(upTo, true);
		List<CompletableFuture<Void>> all = forgotten.values().stream().map(Arrivals::awaited).toList();
		forgotten.clear();
		return all;
	}

	/** Whether the entry with this timestamp may have been held by another way. */
	synchronized boolean mayContain(Timestamp stamp) {
		return !stamp.isAfter(this.floor) || this.stamps.containsKey(stamp);
	}

}
