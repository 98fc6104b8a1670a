package io.quorate.coordinator;

/** The final result of one write attempt over all its receivers. */
enum ReplicationOutcome {

	/** Every receiver holds the entry. */
	EVERYWHERE,

	/** No receiver has missed the entry, but one holds, or may hold, something newer. */
	SUPERSEDED,

	/**
	 * A receiver has missed the entry, or may have: hints and repairs have to bring it
	 * there.
	 */
	MISSED,

	/**
	 * Every receiver has refused the entry, or was not connected: nothing has happened.
	 */
	NOWHERE

}
