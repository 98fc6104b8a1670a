package io.quorate.replica;

import io.quorate.clock.Timestamp;

/** What a replica says to an entry that it was to store. */
public sealed interface WriteReply {

	/**
	 * It holds the entry durably.
	 *
	 * @param isComplete whether the replica holds each entry with a later stamp that it
	 * has acknowledged before: then, and only then, its ack says that there is none
	 */
	record Applied(boolean isComplete) implements WriteReply {

		/** The ack of a replica that has lost nothing. */
		public static final Applied COMPLETE = new Applied(true);

		/** The ack of a replica that may have lost what it has acknowledged. */
		public static final Applied INCOMPLETE = new Applied(false);

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
