package io.quorate.storage;

import java.util.function.LongSupplier;

import io.quorate.clock.Timestamp;
import io.quorate.entry.Key;
import io.quorate.entry.Versioned;

/**
 * Decides which tombstones and expired entries may be purged: those that no other replica
 * can bring back. An entry that may be purged is treated as purged: reads leave it out,
 * and so do compactions as soon as no older entry of its key can be anywhere. Called from
 * any thread, also from event loops: it must not wait.
 */
public interface PurgePolicy {

	/**
	 * Whether a tombstone or an expired entry may be dropped from the store.
	 * @param key decides which other replicas must have agreed
	 * @param timestamp timestamp of the entry
	 * @param sequence number of its first arrival in this store
	 */
	boolean mayPurge(Key key, Timestamp timestamp, long sequence);

	/**
	 * The bound of timestamps for purges of any key: a tombstone or expired entry with a
	 * lower one, which arrived no later than {@link #purgeThrough()}, may be dropped.
	 * Compactions that are begun only to drop entries go by it: were it higher than
	 * {@link #mayPurge} permits, they would be begun again and again.
	 */
	Timestamp purgeBefore();

	/** The bound of sequence numbers that goes with {@link #purgeBefore()}, inclusive. */
	long purgeThrough();

	/**
	 * The highest expiry of entries that have expired, in milliseconds since the epoch.
	 */
	long expiredBeforeMillis();

	/**
	 * Whether an entry is a tombstone or has expired, and may be dropped.
	 * @param sequence number of its first arrival in this store
	 */
	default boolean isPurgeable(Key key, Versioned entry, long sequence) {
		boolean isDead = entry.isTombstone()
				|| (entry.expiryMillis() != Versioned.NEVER && entry.isAbsentAt(expiredBeforeMillis()));
		return isDead && mayPurge(key, entry.timestamp(), sequence);
	}

	/**
	 * A policy that purges nothing: a replica that has not seen a deletion yet would
	 * bring back what was deleted.
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
	 * The policy of a node without peers, which purges at once.
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
