package io.quorate.watch;

import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.quorate.coordinator.PreferenceLists;
import io.quorate.coordinator.ReadOutcome;
import io.quorate.entry.Key;
import reactor.core.publisher.Mono;

/**
 * The node and the cluster around the watches.
 *
 * @param lists replica sets by the current layout
 * @param reads reads by a majority
 * @param turns runs tasks one after another
 * @param clocks clocks of this node
 * @param history number of the cluster's history, another one once it was restored, or
 * {@link #UNKNOWN_HISTORY}
 * @param bounds what may wait for clients
 */
record Surroundings(Supplier<PreferenceLists> lists, Reads reads, Executor turns, Clocks clocks, LongSupplier history,
		Bounds bounds) {

	/** In the place of a history: this node has met no member yet. */
	static final long UNKNOWN_HISTORY = -1;

	/**
	 * The clocks of a node.
	 *
	 * @param nanoTime the monotonic clock
	 * @param millis the physical clock, in milliseconds since the epoch
	 * @param trueMillis the time on which the members agree, or
	 * {@link io.quorate.clock.TrueTime#UNKNOWN}
	 */
	record Clocks(LongSupplier nanoTime, LongSupplier millis, LongSupplier trueMillis) {
	}

	/** Whether a cursor is of another history than this node. */
	boolean isApart(WatchCursor cursor) {
		long own = this.history.getAsLong();
		return !cursor.equals(WatchCursor.START) && own != UNKNOWN_HISTORY && cursor.origin().history() != own;
	}

	/**
	 * The bounds of what may wait for clients.
	 *
	 * @param events greatest number of events for one of them
	 * @param bytes number of bytes of events for all of them, from which on there are no
	 * more
	 */
	record Bounds(int events, long bytes) {
	}

	/** Reads a key, also the version of a deletion. */
	@FunctionalInterface
	interface Reads {

		/**
		 * Reads a key by a majority, or by all of its replicas: then they hold what is
		 * found.
		 */
		Mono<ReadOutcome> of(Key key, boolean isOfAll);

	}

}
