package io.quorate.storage;

import java.util.function.LongSupplier;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.Versioned;

/**
 * Says which deletions and expired entries may be forgotten: those that no other replica
 * can bring back. What may be forgotten is treated as if it were: it is left out of
 * everything that is read, and of what compactions write as soon as nothing older of its
 * key can be anywhere. Asked from any thread, also from event loops: it must not wait.
 */
public interface PurgePolicy {

	/**
	 * Whether a tombstone or an expired entry may be dropped from the store.
	 * @param key decides which other replicas must have agreed
	 * @param timestamp when it was written
	 * @param sequence number of its first arrival in this store
	 */
	boolean mayPurge(Key key, Timestamp timestamp, long sequence);

	/**
	 * A bound of timestamps: whatever tombstone or expired entry lies below it, and
	 * arrived no later than {@link #purgeThrough()}, may be dropped, of any key. Merges
	 * that are begun for nothing but to drop go by it: were it higher than what
	 * {@link #mayPurge} permits, they would be begun again and again.
	 */
	Timestamp purgeBefore();

	/** The bound of sequence numbers that goes with {@link #purgeBefore()}, inclusive. */
	long purgeThrough();

	/**
	 * Entries whose expiry is not later have expired, in milliseconds since the epoch.
	 */
	long expiredBeforeMillis();

	/**
	 * Whether an entry is a deletion or has expired, and may be dropped.
	 * @param sequence number of its first arrival in this store
	 */
	default boolean isPurgeable(Key key, Versioned entry, long sequence) {
		boolean isDead = entry.isTombstone()
				|| (entry.expiryMillis() != Versioned.NEVER && entry.isAbsentAt(expiredBeforeMillis()));
		return isDead && mayPurge(key, entry.timestamp(), sequence);
	}

	/**
	 * Forgets nothing: a replica that has not seen a deletion yet would bring back what
	 * was deleted.
	 */
	static PurgePolicy nothing() {
		return new PurgePolicy() {

			@Override
			public boolean mayPurge(Key key, Timestamp timestamp, long sequence) {
				return false;
			}

			@Override
			public Timestamp purgeBefore() {
				return Timestamp.ZERO;
			}

			@Override
			public long purgeThrough() {
				return 0;
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
			public boolean mayPurge(Key key, Timestamp timestamp, long sequence) {
				return true;
			}

			@Override
			public Timestamp purgeBefore() {
				return Timestamp.MAX;
			}

			@Override
			public long purgeThrough() {
				return Long.MAX_VALUE;
			}

			@Override
			public long expiredBeforeMillis() {
				return nowMillis.getAsLong();
			}

		};
	}

}
