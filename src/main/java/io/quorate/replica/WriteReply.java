package io.quorate.replica;

import io.quorate.clock.Timestamp;

/** What a replica says to an entry that it was to store. */
public sealed interface WriteReply {

	/** It holds it durably. */
	record Applied() implements WriteReply {
	}

	/**
	 * It holds, or may hold, a newer entry: neither an ack nor a failure of a write. In
	 * either case it holds a newer one, or else this one, durably.
	 *
	 * @param by a timestamp that a new stamp has to exceed
	 * @param wasNeverHeld whether it is certain that no read of this replica has found
	 * the entry, nor ever will
	 */
	record Superseded(Timestamp by, boolean wasNeverHeld) implements WriteReply {
	}

	/** It did not, or nobody knows. */
	record Failed(Failure failure) implements WriteReply {
	}

}
