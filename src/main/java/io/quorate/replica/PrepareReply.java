package io.quorate.replica;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Summary;
import org.jspecify.annotations.Nullable;

/** A replica's reply to the first half of a round. */
public sealed interface PrepareReply {

	/**
	 * The replica takes nothing below the ballot from now on, also after a restart.
	 *
	 * @param held entry of the key that it held when the promise was durable,
	 * {@code null} for none
	 */
	record Promised(@Nullable Summary held) implements PrepareReply {
	}

	/**
	 * The condition does not hold for what the replica holds. It has promised nothing.
	 *
	 * @param held entry of the key, {@code null} for none
	 * @param promise ballot of the promise that stands, {@code null} for none
	 */
	record Unmet(@Nullable Summary held, @Nullable Timestamp promise) implements PrepareReply {
	}

	/**
	 * The replica holds, or has promised, something at the ballot or above it.
	 *
	 * @param by timestamp that a new ballot has to exceed
	 */
	record Superseded(Timestamp by) implements PrepareReply {
	}

	/**
	 * The replica has promised the key to a round of another node a moment ago, which is
	 * to end in peace. A courtesy, on which nothing rests.
	 *
	 * @param millis time after which the round has had its turn
	 */
	record Busy(int millis) implements PrepareReply {
	}

	/** The replica has promised nothing, or the outcome is unknown. */
	record Failed(Failure failure) implements PrepareReply {
	}

}
