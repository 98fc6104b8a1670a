package io.quorate.consensus;

import java.io.IOException;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * A member's part in the decisions: its votes, its ballots, and the decisions that it
 * knows. Nothing of its state is known outside before it is durable.
 * <p>
 * When the ledger fails, it is not known which state the disk has. The participant then
 * stays silent: each call fails until the process starts anew. Safe for any number of
 * threads, which wait for the disk; not for event loops, but for {@link #decisions()}.
 */
public final class Participant {

	private final Acceptor acceptor;

	private final Ledger ledger;

	private volatile AcceptorState state;

	private @Nullable IOException failure;

	/**
	 * The participant that a ledger has recovered.
	 * @param self this node with the present life of its directory
	 * @param voters voters that a content names for the version after it
	 */
	public Participant(Voter self, Function<Decree, Electorate> voters, Ledger ledger) {
		this.acceptor = new Acceptor(self, voters);
		this.ledger = ledger;
		this.state = ledger.recovered();
	}

	/** This member with the present life of its directory. */
	public Voter self() {
		return this.acceptor.self();
	}

	/** The decisions that this member knows, all durable here. */
	public Decisions decisions() {
		return this.state.decisions();
	}

	/**
	 * Answers a proposer.
	 * @throws IOException when the state that the answer needs is not durable
	 * @throws ConflictingDecreeException when the request names a decision that is known
	 * here with another content: the state has not changed
	 */
	public synchronized Answer answer(Request request) throws IOException {
		Acceptor.Step step = this.acceptor.answer(this.state, request);
		become(step.state());
		return step.answer();
	}

	/**
	 * Begins an attempt to have a content decided in the version after the latest one,
	 * with a ballot above all that this member has heard of.
	 * @param above a ballot by which an attempt before was interrupted, or
	 * {@link Ballot#NONE}
	 * @throws IOException when the ballot is not durable
	 */
	public Proposer propose(Decree wish, Ballot above) throws IOException {
		return propose(wish, above, (named) -> named);
	}

	/**
	 * As above, by the votes of all nodes if there is no majority of the named
	 * directories: when the cluster was restored as a whole.
	 */
	public Proposer proposeToAll(Decree wish, Ballot above) throws IOException {
		return propose(wish, above, Electorate::orAll);
	}

	private synchronized Proposer propose(Decree wish, Ballot above, UnaryOperator<Electorate> deciding)
			throws IOException {
		long highest = Math.max(this.state.round(), Math.max(this.state.promised().round(), above.round()));
		become(this.state.begins(highest + 1));
		Decision base = this.state.decisions().latest();
		return new Proposer(base, deciding.apply(this.acceptor.voters().apply(base.decree())),
				new Ballot(highest + 1, this.acceptor.self().storageId()), wish);
	}

	private void become(AcceptorState next) throws IOException {
		if (this.failure != null) {
			throw new IOException("the ledger has failed before: " + this.failure.getMessage(), this.failure);
		}
		if (next.equals(this.state)) {
			return;
		}
		try {
			this.ledger.keep(next);
		}
		catch (IOException failed) {
			this.failure = failed;
			throw failed;
		}
		this.state = next;
	}

}
