package io.quorate.replica;

import java.util.List;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import org.jspecify.annotations.Nullable;

/** A node's reply to a write of a register that was handed to it. */
public sealed interface HandoverReply {

	/** The write has taken effect, with this version. */
	record Written(Timestamp version) implements HandoverReply {
	}

	/**
	 * An earlier request with the same idempotency key has done the write.
	 *
	 * @param version version that it has written
	 * @param current version that the key has by now, {@code null} for no value
	 */
	record Replayed(Timestamp version, @Nullable Timestamp current) implements HandoverReply {
	}

	/** The time to live of the value was renewed; its version is the same as before. */
	record Touched(Timestamp version, long expiryMillis) implements HandoverReply {
	}

	/** Another request has had the idempotency key: nothing was written. */
	enum Reused implements HandoverReply {

		/** The only instance. */
		INSTANCE

	}

	/**
	 * The read has settled the key, which holds this entry, be it absent by now or not.
	 */
	record Found(Entry entry) implements HandoverReply {
	}

	/**
	 * The condition does not hold: nothing was written, and nothing will be.
	 *
	 * @param current version of the value that the key holds, {@code null} for none
	 * @param absent version of the deletion or the expired value, {@code null} for none
	 * @param isForgotten whether an earlier request with the same idempotency key may
	 * have been done
	 */
	record Unmet(@Nullable Timestamp current, @Nullable Timestamp absent,
			boolean isForgotten) implements HandoverReply {
	}

	/**
	 * Others were faster until the deadline: nothing was written, and nothing will be.
	 */
	record Contended(int rounds) implements HandoverReply {
	}

	/**
	 * Too few replicas have answered in time.
	 *
	 * @param outcome the word for what is known of the write
	 * @param version version that it has if it has taken effect, {@code null} if none is
	 * known
	 * @param required number of replicas that had to answer
	 * @param acknowledged number of those that did
	 * @param replicas the answer of each
	 */
	record Undecided(String outcome, @Nullable Timestamp version, int required, int acknowledged,
			List<Said> replicas) implements HandoverReply {
	}

	/** The node has not taken the write, or the outcome is unknown. */
	record Failed(Failure failure) implements HandoverReply {
	}

	/**
	 * The answer of one replica.
	 *
	 * @param node id of its node
	 * @param said one word
	 */
	record Said(String node, String said) {
	}

}
