package io.quorate.replica;

/** The origin of an entry that comes to a replica. */
public sealed interface Origin {

	/**
	 * A write that its coordinator sends to each replica: once, but for a change of the
	 * layout meanwhile.
	 */
	Origin CLIENT = new Client();

	/** A repair by a read or a scan. */
	Origin REPAIR = new Repair();

	/** A hint that is handed over. */
	Origin HINT = new Hint();

	/** A write of a client, which ends by its deadline. */
	record Client() implements Origin {
	}

	/** A repair by a read or a scan, which ends by the deadline of either. */
	record Repair() implements Origin {
	}

	/** A write that the replica has missed, however long ago. */
	record Hint() implements Origin {
	}

	/**
	 * A comparison of two replicas, or the rebuild of one.
	 *
	 * @param round hybrid time at which the comparison began
	 */
	record Stream(long round) implements Origin {
	}

}
