package io.quorate.storage;

import io.quorate.clock.Timestamp;

/** What became of an entry that was to be stored. */
public sealed interface ApplyResult {

	/**
	 * It is held durably, now or already before.
	 *
	 * @param sequence number of its arrival in this store
	 */
	record Applied(long sequence) implements ApplyResult {
	}

	/**
	 * A newer entry of the key is held, or may be; if not, then this one is, durably.
	 *
	 * @param by a timestamp that a new stamp has to exceed
	 * @param isCertain whether a newer one is held for certain, and has been since before
	 * this one arrived, so that no read has found this arrival
	 */
	record Superseded(Timestamp by, boolean isCertain) implements ApplyResult {
	}

}
