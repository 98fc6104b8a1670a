package io.quorate.consensus;

import java.util.function.Function;

/**
 * The rules by which a voter answers: pure functions of its state. The state that comes
 * with an answer has to be durable before the answer is sent.
 * <p>
 * A request names the decision that it builds on. A voter that does not know that
 * decision learns it first; one that knows a later decision answers with that. A node
 * that is a voter by its id alone, because its directory is another one, answers as one:
 * its votes count where {@linkplain Electorate#orAll() those of all} are asked for.
 *
 * @param self this node with the present life of its directory
 * @param voters voters that a content names for the version after it
 */
public record Acceptor(Voter self, Function<Decree, Electorate> voters) {

	/** An answer, and the state that must be durable before it is sent. */
	public record Step(AcceptorState state, Answer answer) {
	}

	/**
	 * Answers a request.
	 * @throws ConflictingDecreeException when the request names a decision that is known
	 * with another content
	 */
	public Step answer(AcceptorState state, Request request) {
		return switch (request) {
			case Request.Prepare(Decision base, Ballot ballot) -> vote(state, base, (open) -> prepare(open, ballot));
			case Request.Accept(Decision base, Ballot ballot, Decree decree) ->
				vote(state, base, (open) -> accept(open, new Vote(ballot, decree)));
			case Request.Learn(Decision decision) -> learn(state, decision);
			case Request.Get(long after) -> new Step(state, known(state, after));
		};
	}

	private Step vote(AcceptorState state, Decision base, Function<AcceptorState, Step> ask) {
		AcceptorState open = state.with(base);
		if (open.decisions().latest().version() > base.version()) {
			return new Step(open, new Answer.Later(open.decisions().after(base.version())));
		}
		if (!this.voters.apply(base.decree()).isOfAVoter(this.self.id())) {
			return new Step(open, new Answer.NotNamed(base.next()));
		}
		return ask.apply(open);
	}

	private Step prepare(AcceptorState open, Ballot ballot) {
		if (ballot.isBelow(open.promised())) {
			return refuse(open);
		}
		return new Step(open.promises(ballot), new Answer.Promise(version(open), this.self, ballot, open.accepted()));
	}

	private Step accept(AcceptorState open, Vote vote) {
		if (vote.ballot().isBelow(open.promised())) {
			return refuse(open);
		}
		return new Step(open.accepts(vote), new Answer.Accepted(version(open), this.self, vote.ballot()));
	}

	private static Step refuse(AcceptorState open) {
		return new Step(open, new Answer.Refused(version(open), open.promised()));
	}

	private static Step learn(AcceptorState state, Decision decision) {
		AcceptorState next = state.with(decision);
		return new Step(next, known(next, decision.version()));
	}

	private static Answer known(AcceptorState state, long after) {
		long latest = state.decisions().latest().version();
		return (latest > after) ? new Answer.Later(state.decisions().after(after)) : new Answer.Learned(latest);
	}

	private static long version(AcceptorState open) {
		return open.decisions().latest().next();
	}

}
