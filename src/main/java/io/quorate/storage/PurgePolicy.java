package io.quorate.storage;

import java.util.function.LongSupplier;

import io.quorate.clock.Timestamp;

/**
 * Says which deletions and expired entries may be forgotten: those that no other replica
 * can bring back. Asked by compactions, from any thread.
 */
public interface PurgePolicy {

	/**
	 * Whether a tombstone or an expired entry may be dropped from the store.
	 * @param timestamp when it was written
	 * @param sequence number of its arrival in this store
	 */
	boolean mayPurge(Timestamp timestamp, long sequence);

	/** A bound below which, as things are, deletions may be dropped. */
	Timestamp purgeBefore();

	/**
	 * Entries whose expiry is not later have expired, in milliseconds since the epoch.
	 */
	long expiredBeforeMillis();

	/**
	 * Forgets nothing: a replica that has not seen a deletion yet would bring back what
	 * was deleted.
	 */
	static PurgePolicy nothing() {
		return new PurgePolicy() {

			@Override
			public boolean mayPurge(Timestamp timestamp, long sequence) {
				return false;
			}

			@Override
			public Timestamp purgeBefore() {
				return Timestamp.ZERO;
			}

			@Override
			public long expiredBeforeMillis() {
				return Long.MIN_VALUE;
			}

		};
	}

	/**
	 * A node without peers forgets at once.
	 * @param nowMillis the present by the hybrid clock
	 */
	static PurgePolicy alone(LongSupplier nowMillis) {
		return new PurgePolicy() {

			@Override
			public boolean mayPurge(Timestamp timestamp, long sequence) {
				return true;
			}

			@Override
			public Timestamp purgeBefore() {
				return Timestamp.MAX;
			}

			@Override
			public long expiredBeforeMillis() {
				return nowMillis.getAsLong();
			}

		};
	}

}
