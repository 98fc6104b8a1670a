package io.quorate.consensus;

import org.jspecify.annotations.Nullable;

/**
 * The state of a participant, which must survive a crash. Immutable.
 *
 * @param round highest round of a ballot that this participant has begun as a proposer, 0
 * for none
 * @param decisions decisions that it knows
 * @param promised highest ballot that it has promised for the version after the latest
 * decision
 * @param accepted vote that it has cast last for that version, if any
 */
public record AcceptorState(long round, Decisions decisions, Ballot promised, @Nullable Vote accepted) {

	/** The state of a participant that knows a decision, and has not voted since. */
	public static AcceptorState of(Decision decided) {
		return of(Decisions.of(decided));
	}

	/** The state of a participant that knows decisions, and has not voted since. */
	public static AcceptorState of(Decisions decided) {
		return new AcceptorState(0, decided, Ballot.NONE, null);
	}

	/**
	 * The state after a decision is learned. Promises and votes are for one version: a
	 * later one has none.
	 * @throws ConflictingDecreeException when its version is known with another content
	 */
	AcceptorState with(Decision decision) {
		Decisions next = this.decisions.with(decision);
		return next.equals(this.decisions) ? this : new AcceptorState(this.round, next, Ballot.NONE, null);
	}

	AcceptorState begins(long next) {
		return new AcceptorState(next, this.decisions, this.promised, this.accepted);
	}

	AcceptorState promises(Ballot ballot) {
		return new AcceptorState(this.round, this.decisions, ballot, this.accepted);
	}

	AcceptorState accepts(Vote vote) {
		return new AcceptorState(this.round, this.decisions, vote.ballot(), vote);
	}

}
