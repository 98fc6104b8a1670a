package io.quorate.coordinator;

/**
 * How far an entry has come when everybody that it was sent to has answered, or is not
 * going to.
 */
enum ReplicationOutcome {

	/** Everybody holds it. */
	EVERYWHERE,

	/** Nobody has missed it, but somebody holds, or may hold, something newer. */
	SUPERSEDED,

	/** Somebody has missed it, or may have: hints and repairs have to bring it there. */
	MISSED,

	/** Everybody has refused it: nothing has happened. */
	NOWHERE

}
