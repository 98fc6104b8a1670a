package io.quorate.storage;

import io.quorate.clock.Timestamp;

/** The outcome of a request to promise. */
public sealed interface PromiseResult {

	/** The promise stands, and is on the disk, whatever {@code wal.sync} is. */
	record Made() implements PromiseResult {
	}

	/**
	 * Another promise stands that is not below the one asked for; nothing was written.
	 *
	 * @param by its ballot, which a new ballot has to exceed
	 */
	record Refused(Timestamp by) implements PromiseResult {
	}

}
