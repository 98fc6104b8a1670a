package io.quorate.consensus;

import org.jspecify.annotations.Nullable;

/** The answer of a voter to a {@link Request}. */
public sealed interface Answer {

	/**
	 * The promise to accept nothing in lower ballots.
	 *
	 * @param version number of the version that is to be decided
	 * @param accepted vote that the voter has cast in the highest ballot, if any
	 */
	record Promise(long version, Voter voter, Ballot ballot, @Nullable Vote accepted) implements Answer {
	}

	/**
	 * The vote for the content of the request.
	 *
	 * @param version number of the version that is to be decided
	 */
	record Accepted(long version, Voter voter, Ballot ballot) implements Answer {
	}

	/**
	 * The refusal of a ballot.
	 *
	 * @param version number of the version that is to be decided
	 * @param promised higher ballot, which the voter has promised
	 */
	record Refused(long version, Ballot promised) implements Answer {
	}

	/**
	 * The refusal of a node that the version before does not name as a voter, with its
	 * present storage id.
	 *
	 * @param version number of the version that is to be decided
	 */
	record NotNamed(long version) implements Answer {
	}

	/** The decisions that the sender of the request does not know. */
	record Later(Decisions decisions) implements Answer {
	}

	/** The confirmation that the voter knows a decision, and no later one. */
	record Learned(long version) implements Answer {
	}

}
