package io.quorate.replica;

import io.quorate.clock.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a replica may be read, and what its acks say of the order of writes. It
 * is asked at each request, and must not block.
 */
public interface ReadGate {

	/** A gate that is open. */
	ReadGate OPEN = () -> null;

	/** Why nothing may be read now, or {@code null} when it may. */
	@Nullable Failure closed();

	/**
	 * Whether this replica may have acknowledged an entry with a later stamp than this
	 * one, and lost it: then its own acks do not put a write in order.
	 */
	default boolean mayHaveLostLaterThan(Timestamp stamp) {
		return closed() != null;
	}

}
