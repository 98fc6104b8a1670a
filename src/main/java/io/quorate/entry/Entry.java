package io.quorate.entry;

import java.util.Comparator;

import io.quorate.clock.Timestamp;

/**
 * One version of a record: a {@link Live} value or the {@link Tombstone} of a deletion.
 */
public sealed interface Entry extends Versioned permits Entry.Live, Entry.Tombstone {

	/** How many nodes the entry was written to: the {@code from} of its request. */
	int from();

	/** The entry that stays when two replicas hold different ones of a key. */
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
	 * A value.
	 *
	 * @param timestamp when it was written
	 * @param from how many nodes it was written to
	 * @param expiryMillis from when on it reads as absent, in milliseconds since the
	 * epoch; {@link #NEVER} for never
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
	 * @param timestamp when it was deleted
	 * @param from how many nodes the deletion asked for
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
