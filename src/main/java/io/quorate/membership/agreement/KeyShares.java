package io.quorate.membership.agreement;

import java.io.IOException;

import io.quorate.storage.ShareChange;

/** The keys that the store of this node holds. */
@FunctionalInterface
public interface KeyShares {

	/**
	 * Has the store hold what the node gains from now on, and nothing of it from before,
	 * and hide what the node loses. Does nothing when the store has done so for this
	 * version or a later one. Waits for the disk.
	 * @throws IOException when it is not known whether the disk has it
	 */
	void assign(ShareChange change) throws IOException;

	/**
	 * Whether they were restored from a backup together with those of all other members,
	 * so that no replica may have what this store lacks.
	 */
	default boolean areRestored() {
		return false;
	}

	/**
	 * Notes that all members have the directories of the present: what was restored
	 * together is a cluster like others. Waits for the disk.
	 * @throws IOException when it is not known whether the disk has it
	 */
	default void namedAnew() throws IOException {
	}

	/** Whether the directory is new: the store may lack what one before it has held. */
	default boolean isNew() {
		return false;
	}

	/**
	 * Notes that the directory is not new: a layout by which this node joins names it.
	 * What the store does not hold, the members of before the change have, and they
	 * answer each request of that layout, too. Waits for the disk.
	 */
	default void admitted() {
	}

	/** Whether the store has ever held an entry, as far as is known; does not wait. */
	default boolean hasHeld() {
		return false;
	}

}
