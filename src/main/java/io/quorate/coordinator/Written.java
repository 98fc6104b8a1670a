package io.quorate.coordinator;

import io.quorate.clock.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * A write that enough replicas hold durably.
 *
 * @param timestamp timestamp of its entry
 * @param replayed what is known of a write that an earlier request has done, {@code null}
 * when this one has
 */
public record Written(Timestamp timestamp, @Nullable Replayed replayed) {

	/** A write that this request has done. */
	public Written(Timestamp timestamp) {
		this(timestamp, null);
	}

	/**
	 * The state of a key whose write was repeated.
	 *
	 * @param current version that the key has by now, {@code null} for no value
	 */
	public record Replayed(@Nullable Timestamp current) {
	}

}
