package io.quorate.consensus;

/**
 * A message of Paxos to a voter. {@link Acceptor} says what it answers to each.
 */
public sealed interface Request {

	/**
	 * The question of a proposer for the promise to accept nothing in lower ballots, and
	 * for what the voter has accepted.
	 *
	 * @param base decision of the version before the one that is to be decided
	 */
	record Prepare(Decision base, Ballot ballot) implements Request {
	}

	/**
	 * The demand of a proposer to accept a content.
	 *
	 * @param base decision of the version before the one that is to be decided
	 */
	record Accept(Decision base, Ballot ballot, Decree decree) implements Request {
	}

	/** The message that a version is decided. */
	record Learn(Decision decision) implements Request {
	}

	/**
	 * The question for decisions, which changes nothing.
	 *
	 * @param after version above which the sender knows none
	 */
	record Get(long after) implements Request {
	}

}
