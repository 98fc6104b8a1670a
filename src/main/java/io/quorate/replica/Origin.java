package io.quorate.replica;

/** On whose behalf an entry comes to a replica. */
public sealed interface Origin {

	/** A write or a repair that somebody waits for. */
	Origin CLIENT = new Client();

	/** A hint that is handed over. */
	Origin HINT = new Hint();

	/** A write of a client, or a repair by a read; both end by their deadline. */
	record Client() implements Origin {
	}

	/** A write that the replica has missed, however long ago. */
	record Hint() implements Origin {
	}

	/**
	 * A comparison of two replicas, or the rebuilding of one.
	 *
	 * @param round hybrid time at which the comparison began
	 */
	record Stream(long round) implements Origin {
	}

}
