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
	 */
	record Superseded(Timestamp by) implements WriteReply {
	}

	/** It did not, or nobody knows. */
	record Failed(Failure failure) implements WriteReply {
	}

}
