package io.quorate.watch;

import java.util.List;

import io.quorate.clock.Timestamp;
import io.quorate.entry.ContentType;
import io.quorate.entry.Key;
import io.quorate.entry.Value;
import org.jspecify.annotations.Nullable;

/** An event of a watch. */
public sealed interface WatchEvent {

	/** An event of a key. */
	sealed interface OfKey extends WatchEvent {

		/** The key. */
		Key key();

		/** The version, which clients see as {@code ETag}. */
		Timestamp version();

		/** Number of bytes that the event holds, about. */
		int sizeBytes();

	}

	/**
	 * A key has a value, or another expiry.
	 *
	 * @param valueBytes number of bytes of the value
	 * @param expiryMillis instant from which on it reads as absent, or
	 * {@link io.quorate.entry.Versioned#NEVER}
	 * @param content the value, {@code null} when it was not asked for or is too large
	 */
	record Put(Key key, Timestamp version, int valueBytes, long expiryMillis,
			@Nullable Content content) implements OfKey {

		Put withoutContent() {
			return (this.content != null) ? new Put(this.key, this.version, this.valueBytes, this.expiryMillis, null)
					: this;
		}

		@Override
		public int sizeBytes() {
			return this.key.size() + OVERHEAD_BYTES + ((this.content != null) ? this.valueBytes : 0);
		}

	}

	/** A value and its media type. */
	record Content(Value value, @Nullable ContentType type) {
	}

	/** A key has no value: it was deleted, or its value has expired. */
	record Delete(Key key, Timestamp version) implements OfKey {

		@Override
		public int sizeBytes() {
			return this.key.size() + OVERHEAD_BYTES;
		}

	}

	/** Bytes of an event beside key and value, about. */
	int OVERHEAD_BYTES = 128;

	/**
	 * The watch has cover.
	 *
	 * @param asOfMillis all that was acknowledged before this instant has been sent, in
	 * milliseconds since the epoch by this node's clock
	 */
	record Live(long asOfMillis) implements WatchEvent {
	}

	/**
	 * Silence proves nothing: of some key too few replicas are reached.
	 *
	 * @param members ids of the members that are not reached
	 */
	record Stalled(List<String> members) implements WatchEvent {
	}

	/** The state follows as a whole: deletions before it may have been missed. */
	record Reset() implements WatchEvent {
	}

	/**
	 * The watch ends; the client may go on at any node from its cursor.
	 *
	 * @param why reason in a word
	 */
	record End(String why) implements WatchEvent {
	}

	/** A keep-alive of a watch that has nothing to report. */
	record Quiet() implements WatchEvent {
	}

}
