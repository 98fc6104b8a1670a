package io.quorate.replica;

import io.quorate.clock.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * A replica's reply to a look: its entry of a key, and the promise that stood before it
 * was read.
 *
 * @param held the entry; {@link ReadReply.Failed} when the replica cannot answer
 * @param promise ballot of the promise, {@code null} for none
 */
public record LookReply(ReadReply held, @Nullable Timestamp promise) {

	/** The reply of a replica that cannot answer. */
	public static LookReply failed(Failure failure) {
		return new LookReply(new ReadReply.Failed(failure), null);
	}

}
