package io.quorate.replica;

import io.quorate.clock.Timestamp;

/** A replica's reply to the write of an entry. */
public sealed interface WriteReply {

	/**
	 * The replica holds the entry durably, or held it as its newest one after it was sent
	 * and holds a newer one by now.
	 *
	 * @param isComplete whether the replica holds each entry with a later timestamp that
	 * it has acknowledged before: then, and only then, its ack says that there is no such
	 * entry
	 */
	record Applied(boolean isComplete) implements WriteReply {

		/** The ack of a replica that has lost nothing. */
		public static final Applied COMPLETE = new Applied(true);

		/** The ack of a replica that may have lost entries that it has acknowledged. */
		public static final Applied INCOMPLETE = new Applied(false);

	}

	/**
	 * The replica holds, or may hold, a newer entry: neither an ack nor a failure of a
	 * write. In either case it holds a newer entry, or else this one, durably.
	 *
	 * @param by a timestamp that a new one has to exceed
	 * @param wasNeverHeld whether it is certain that no read of this replica has found
	 * the entry, nor ever will, if the replica was sent it only once
	 * @param isPlain whether the newer entry is for certain one of a plain write: then it
	 * may be said to have replaced this one. A conditional write has replaced the version
	 * that it names, and nothing else
	 */
	record Superseded(Timestamp by, boolean wasNeverHeld, boolean isPlain) implements WriteReply {

		/** By a plain write. */
		public Superseded(Timestamp by, boolean wasNeverHeld) {
			this(by, wasNeverHeld, true);
		}

	}

	/**
	 * The replica refuses the entry because of a promise: neither an ack nor superseded.
	 * If a client's write has brought it, and was sent only once, no read of this replica
	 * has found the entry, and only a repair may bring it there.
	 *
	 * @param by ballot of the promise, which a new timestamp must not be below
	 */
	record Promised(Timestamp by) implements WriteReply {
	}

	/** The replica did not store the entry, or the outcome is unknown. */
	record Failed(Failure failure) implements WriteReply {
	}

}
