package io.quorate.entry;

import io.quorate.clock.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * One version of a key's state: a {@link Live} value or the {@link Tombstone} of a
 * deletion.
 */
public sealed interface Entry extends Versioned permits Entry.Live, Entry.Tombstone {

	/**
	 * The number of copies of an entry that all replicas of its key hold, as many as the
	 * replication factor makes them, which may change.
	 */
	int ALL = 0;

	/** The entry that wins when two replicas hold different entries of a key. */
	static Entry merge(Entry left, Entry right) {
		return Versioned.winner(left, right, Entry::compareValues);
	}

	/** The content type of the value, {@code null} for none. */
	default @Nullable ContentType contentType() {
		return null;
	}

	/**
	 * The same entry, carried on under a later timestamp: its version and its parent
	 * stay.
	 */
	default Entry at(Timestamp ballot) {
		Lineage own = lineage();
		Lineage kept = (own != null) ? own : new Lineage(timestamp(), null);
		return switch (this) {
			case Live live ->
				new Live(ballot, live.from(), live.expiryMillis(), live.value(), live.contentType(), kept);
			case Tombstone tombstone -> new Tombstone(ballot, tombstone.from(), kept);
		};
	}

	private static int compareValues(Entry left, Entry right) {
		int order = valueOrEmpty(left).compareTo(valueOrEmpty(right));
		return (order != 0) ? order : ContentType.ORDER.compare(left.contentType(), right.contentType());
	}

	private static Value valueOrEmpty(Entry entry) {
		return switch (entry) {
			case Live live -> live.value();
			case Tombstone _ -> Value.EMPTY;
		};
	}

	/**
	 * A live value.
	 *
	 * @param timestamp timestamp of the write
	 * @param from number of nodes that it was written to, or {@link #ALL}
	 * @param expiryMillis instant from which on it reads as absent, in milliseconds since
	 * the epoch; {@link #NEVER} for never
	 * @param value the bytes
	 * @param contentType media type that the client has given the value, {@code null} for
	 * none
	 * @param lineage place in the history of the key, {@code null} for a plain write
	 */
	record Live(Timestamp timestamp, int from, long expiryMillis, Value value, @Nullable ContentType contentType,
			@Nullable Lineage lineage) implements Entry {

		/** A live value of a plain write. */
		public Live(Timestamp timestamp, int from, long expiryMillis, Value value, @Nullable ContentType contentType) {
			this(timestamp, from, expiryMillis, value, contentType, null);
		}

		/** A live value of a plain write without a content type. */
		public Live(Timestamp timestamp, int from, long expiryMillis, Value value) {
			this(timestamp, from, expiryMillis, value, null, null);
		}

		@Override
		public boolean isTombstone() {
			return false;
		}

	}

	/**
	 * The mark of a deletion.
	 *
	 * @param timestamp timestamp of the deletion
	 * @param from number of nodes that the deletion was sent to, or {@link #ALL}
	 * @param lineage place in the history of the key, {@code null} for a plain deletion
	 */
	record Tombstone(Timestamp timestamp, int from, @Nullable Lineage lineage) implements Entry {

		/** The mark of a plain deletion. */
		public Tombstone(Timestamp timestamp, int from) {
			this(timestamp, from, null);
		}

		@Override
		public boolean isTombstone() {
			return true;
		}

		@Override
		public long expiryMillis() {
			return NEVER;
		}

	}

}
