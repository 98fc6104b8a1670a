package io.quorate.storage;

import io.quorate.clock.Timestamp;

/** The outcome of a write in the store. */
public sealed interface ApplyResult {

	/**
	 * The entry is held durably, now or already before.
	 *
	 * @param sequence number of its arrival in this store
	 */
	record Applied(long sequence) implements ApplyResult {
	}

	/**
	 * A newer entry of the key is held, or may be. If there is none, this one is held
	 * durably.
	 *
	 * @param by a timestamp that a new timestamp has to exceed
	 * @param isCertain whether a newer entry is held for certain, and was before this one
	 * arrived, so that no read has found this arrival
	 * @param isPlain whether the newer entry is for certain one of a plain write, which
	 * no round has carried on
	 */
	record Superseded(Timestamp by, boolean isCertain, boolean isPlain) implements ApplyResult {

		/** By a plain write, if it is certain. */
		public Superseded(Timestamp by, boolean isCertain) {
			this(by, isCertain, isCertain);
		}

	}

	/**
	 * The entry was refused because a {@link Promise} above its timestamp stands. It was
	 * not stored, is in no log, and a restart does not bring it back.
	 *
	 * @param by ballot of the promise, which a new timestamp must not be below
	 */
	record Promised(Timestamp by) implements ApplyResult {
	}

}
