package io.quorate.consensus;

/** A fault that a simulation plants, to see that it is caught. */
enum PlantedBug {

	/** None: the program as it is. */
	NONE,

	/** A node that has lost its disk votes as if it had not: byName of the model. */
	VOTER_BY_NAME,

	/** The voters are those that the new content names: proposed of the model. */
	VOTERS_OF_THE_NEW_CONTENT,

	/** A proposer does not ask what was begun before: noPrepare of the model. */
	NO_PREPARE,

	/** A proposer asks, and has its own content decided whatever the answers. */
	VOTES_IN_PROMISES_IGNORED,

	/** A voter answers, and its state is fsynced later. */
	ANSWER_BEFORE_THE_FSYNC,

	/** A promise does not survive a crash. */
	PROMISE_LOST_IN_A_CRASH,

	/** A vote does not survive a crash. */
	VOTE_LOST_IN_A_CRASH,

	/** A proposer begins with the first round after each start. */
	BALLOT_USED_AGAIN_AFTER_A_CRASH,

	/** The ballots of a node that has lost its disk are those of the life before. */
	BALLOT_NAMES_THE_NODE,

	/** Voters whose storage ids are not known yet decide by a majority. */
	FIRST_DECISION_BY_A_MAJORITY

}
