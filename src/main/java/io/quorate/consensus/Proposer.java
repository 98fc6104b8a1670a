package io.quorate.consensus;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * One attempt to have a content decided. Its messages go to all voters, may go to them
 * again, and answers may come in any order and number. Used by one thread at a time.
 * <p>
 * What is decided in the end need not be the content that was wished: another proposer
 * may have begun before. The attempt may be given up at any time, and the content may be
 * decided all the same; another attempt finds out.
 */
public final class Proposer {

	private final Decision base;

	private final Electorate electorate;

	private final Ballot ballot;

	private final Decree wish;

	private final Map<Voter, Optional<Vote>> promises = new HashMap<>();

	private final Set<Voter> votes = new HashSet<>();

	private @Nullable Decree proposed;

	private Outcome outcome = new Outcome.Open();

	/** The outcome of an attempt so far. */
	public sealed interface Outcome {

		/** Answers are awaited. */
		record Open() implements Outcome {
		}

		/**
		 * A voter has promised a higher ballot. Answers still count; the next attempt
		 * needs a ballot above that one.
		 */
		record Interrupted(Ballot by) implements Outcome {
		}

		/** The version is decided by this attempt, with the content wished or another. */
		record Decided(Decision decision) implements Outcome {
		}

		/** The version was decided before: a voter knows this decision and later ones. */
		record Overtaken(Decisions decisions) implements Outcome {
		}

	}

	/**
	 * Begins an attempt.
	 * @param base decision of the version before the one that is to be decided
	 * @param electorate voters that the content of that decision names
	 * @param ballot ballot that no other attempt has or will have
	 * @param wish content to be decided if no other has been begun
	 */
	public Proposer(Decision base, Electorate electorate, Ballot ballot, Decree wish) {
		this.base = base;
		this.electorate = electorate;
		this.ballot = ballot;
		this.wish = wish;
	}

	/** The message for all voters at this time: the same until the next one follows. */
	public Request message() {
		if (this.outcome instanceof Outcome.Decided(Decision decision)) {
			return new Request.Learn(decision);
		}
		return (this.proposed != null) ? new Request.Accept(this.base, this.ballot, this.proposed)
				: new Request.Prepare(this.base, this.ballot);
	}

	/** The outcome so far. */
	public Outcome outcome() {
		return this.outcome;
	}

	/**
	 * Takes in an answer. One that belongs to another attempt or does not come from a
	 * voter changes nothing.
	 * @return whether {@link #message()} is another one now, to be sent to all voters
	 */
	public boolean takeIn(Answer answer) {
		if (this.outcome instanceof Outcome.Decided || this.outcome instanceof Outcome.Overtaken) {
			return false;
		}
		return switch (answer) {
			case Answer.Promise promise -> isOurs(promise.version(), promise.ballot())
					&& promised(this.electorate.named(promise.voter()), promise.accepted());
			case Answer.Accepted accepted ->
				isOurs(accepted.version(), accepted.ballot()) && accepted(this.electorate.named(accepted.voter()));
			case Answer.Refused(long version, Ballot by) -> {
				if (version == this.base.next() && this.ballot.isBelow(by)) {
					this.outcome = new Outcome.Interrupted(by);
				}
				yield false;
			}
			case Answer.Later(Decisions decisions) -> {
				if (decisions.latest().version() > this.base.version()) {
					this.outcome = new Outcome.Overtaken(decisions);
				}
				yield false;
			}
			case Answer.NotNamed _, Answer.Learned _ -> false;
		};
	}

	private boolean isOurs(long version, Ballot its) {
		return version == this.base.next() && its.equals(this.ballot);
	}

	private boolean promised(@Nullable Voter voter, @Nullable Vote accepted) {
		if (voter == null || this.proposed != null) {
			return false;
		}
		this.promises.put(voter, Optional.ofNullable(accepted));
		if (!this.electorate.isEnough(this.promises.keySet())) {
			return false;
		}
		this.proposed = this.promises.values()
			.stream()
			.flatMap(Optional::stream)
			.max(Comparator.comparing(Vote::ballot))
			.map(Vote::decree)
			.orElse(this.wish);
		return true;
	}

	private boolean accepted(@Nullable Voter voter) {
		Decree asked = this.proposed;
		if (voter == null || asked == null) {
			return false;
		}
		this.votes.add(voter);
		if (!this.electorate.isEnough(this.votes)) {
			return false;
		}
		this.outcome = new Outcome.Decided(new Decision(this.base.next(), asked));
		return true;
	}

}
