package io.quorate.storage;

import io.quorate.clock.Timestamp;

/**
 * Says which deletions may be forgotten: those that no other replica can bring back.
 */
@FunctionalInterface
public interface PurgePolicy {

	/** A node without peers forgets at once. */
	PurgePolicy ALONE = (_, _) -> true;

	/**
	 * Whether a tombstone or an expired entry may be dropped from the store.
	 * @param timestamp when it was written
	 * @param sequence number of its arrival in this store
	 */
	boolean mayPurge(Timestamp timestamp, long sequence);

}
