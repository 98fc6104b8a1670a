package io.quorate.simulation;

/**
 * The faults that are planted in test code, each as a run of the models has it that
 * breaks without one rule.
 */
enum PlantedBug {

	/** Nothing is planted. */
	NONE,

	/** A replica takes what was planned by a layout before its own. */
	NO_FENCE,

	/**
	 * A node takes writes of a later layout for keys that it does not hold by its own.
	 */
	TAKES_EARLY,

	/** Acks of a write count on the side of before alone. */
	WRITE_OLD,

	/** Acks of a write count on the side of after alone. */
	WRITE_NEW,

	/** Answers of a read count on the side of before alone. */
	READ_OLD,

	/** Answers of a read count on the side of after alone. */
	READ_NEW,

	/** A node that gains the key counts as a holder of what a read answers. */
	HOLD_OLD,

	/** A replica of before is copied from before it has adopted the layout. */
	COPY_EARLY,

	/**
	 * The last layout does not wait for members to adopt the joint one, nor these for the
	 * writes that they had let in before. A replica is copied from before that, too: else
	 * the copies would wait in the place of the layout.
	 */
	NO_BARRIER,

	/** The last layout does not wait for the copies. */
	NO_COPY,

	/** One replica of before is copied, and not all. */
	COPY_ONE,

	/** Where a key gets fewer replicas, those that stay copy from none. */
	DOWN_GAIN,

	/** The members of before alone agree to a purge. */
	PURGE_OLD,

	/** A node takes hints of a key that it gains before it has copied it. */
	GAINER_HINTS,

	/** A node that gains keys does not take over the purge horizons of its sources. */
	NO_HORIZON,

	/** What a node held of a key before it gained it is there again. */
	NO_FLOOR,

	/** Agreements to purges outlive a change of the layout. */
	KEEP_MARKS,

	/** A node that has lost its disk votes under the name of its lost directory. */
	BY_NAME,

	/** A proposer does not hear of votes that were given before. */
	NO_PREPARE,

	/**
	 * A node that starts counts peers as met, and serves, by a layout that they have left
	 * behind.
	 */
	STARTS_BEHIND,

	/** A node that has lost its disk is read before it is rebuilt. */
	OPEN_GATE,

	/** What a read has found is not repaired before it answers. */
	NO_REPAIR,

	/** A replica does what it is asked after the deadline. */
	LATE_WORK,

	/** Nodes take no notice of the clocks of others. */
	DEAF_CLOCK,

	/** A replica takes a write from too far in the future. */
	BELIEVES_ALL,

	/** A coordinator does not note which node has missed a write. */
	FORGETS_MISSES,

	/** A process that starts has none of its promises. */
	PROMISE_NOT_DURABLE,

	/** A plain write of a client passes a promise. */
	WRITE_PASSES,

	/** Hints, repairs and comparisons pass a promise. */
	REPAIR_PASSES,

	/** What a round finds and does not replace is not accepted again. */
	NO_SETTLE,

	/** The release of a promise ends those below it, too. */
	RELEASE_TO_NONE,

	/** A promise ends after a time. */
	PROMISE_FORGOTTEN,

	/** The ack of a replica that is being rebuilt counts for a round. */
	AMNESIAC_ACKS,

	/** A linearizable read does not look at promises. */
	BLIND_LOOK,

	/** A plain write that a conditional one supersedes counts that as an ack. */
	SUPERSEDED_ACKS,

	/** Hints are kept of an entry of a round that is not chosen. */
	UNCHOSEN_HINTS,

	/** A replica that has lost its disk promises before it is rebuilt. */
	AMNESIAC_PROMISES,

	/** A request takes a new version although its last one may take effect. */
	NEW_VERSION

}
