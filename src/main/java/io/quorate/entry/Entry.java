package io.quorate.entry;

import java.util.Comparator;

import io.quorate.clock.Timestamp;

/**
 * One version of a key's state: a {@link Live} value or the {@link Tombstone} of a
 * deletion.
 */
public sealed interface Entry extends Versioned permits Entry.Live, Entry.Tombstone {

	/** Number of nodes that the entry was written to: the {@code from} of its request. */
	int from();

	/** The entry that wins when two replicas hold different entries of a key. */
	static Entry merge(Entry left, Entry right) {
		return Versioned.winner(left, right, Comparator.comparing(Entry::valueOrEmpty));
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
	 * @param from number of nodes that it was written to
	 * @param expiryMillis instant from which on it reads as absent, in milliseconds since
	 * the epoch; {@link #NEVER} for never
	 * @param value the bytes
	 */
	record Live(Timestamp timestamp, int from, long expiryMillis, Value value) implements Entry {

		@Override
		public boolean isTombstone() {
			return false;
		}

	}

	/**
	 * The mark of a deletion.
	 *
	 * @param timestamp timestamp of the deletion
	 * @param from number of nodes that the deletion was sent to
	 */
	record Tombstone(Timestamp timestamp, int from) implements Entry {

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
