package io.quorate.replica;

import io.quorate.clock.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a replica may be read, and whether its acks put writes in order. A gate
 * is asked at each request, and must not block.
 */
public interface ReadGate {

	/** Reason for which reads are refused now, or {@code null} when they are answered. */
	@Nullable Failure closed();

	/**
	 * Number of rebuilds that have ended. The gate is closed during each, and meanwhile
	 * entries come into the store past the replica. When the gate is open after one, this
	 * number counts it.
	 */
	default long endedRebuilds() {
		return 0;
	}

	/**
	 * Whether this replica may have acknowledged an entry with a later timestamp than
	 * this one, and lost it: then its own acks do not put a write in order.
	 */
	default boolean mayHaveLostLaterThan(Timestamp stamp) {
		return closed() != null;
	}

}
