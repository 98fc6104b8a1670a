package io.quorate.consensus;

import java.util.Set;
import java.util.UUID;

import io.quorate.consensus.Proposer.Outcome;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ProposerTests {

	private static final Voter A = new Voter("a", new UUID(0, 1));

	private static final Voter B = new Voter("b", new UUID(0, 2));

	private static final Voter C = new Voter("c", new UUID(0, 3));

	private static final Decision BASE = new Decision(4, decree(0));

	private static final Ballot BALLOT = new Ballot(5, new UUID(0, 1));

	private final Proposer proposer = new Proposer(BASE, Electorate.majorityOf(Set.of(A, B, C)), BALLOT, decree(1));

	private static Decree decree(int content) {
		return Decree.copyOf(new byte[] { (byte) content });
	}

	private static Vote vote(long round, int content) {
		return new Vote(new Ballot(round, new UUID(0, 7)), decree(content));
	}

	private boolean promise(Voter voter, @Nullable Vote vote) {
		return this.proposer.takeIn(new Answer.Promise(5, voter, BALLOT, vote));
	}

	private boolean accepted(Voter voter) {
		return this.proposer.takeIn(new Answer.Accepted(5, voter, BALLOT));
	}

	@Test
	void aProposerHasItsWishDecidedWhenNothingWasBegun() {
		assertThat(this.proposer.message()).isEqualTo(new Request.Prepare(BASE, BALLOT));
		assertThat(promise(A, null)).isFalse();
		assertThat(promise(A, null)).as("the same voter twice").isFalse();
		assertThat(promise(C, null)).isTrue();
		assertThat(this.proposer.message()).isEqualTo(new Request.Accept(BASE, BALLOT, decree(1)));
		assertThat(accepted(A)).isFalse();
		assertThat(accepted(A)).isFalse();
		assertThat(this.proposer.outcome()).isEqualTo(new Outcome.Open());
		assertThat(accepted(B)).isTrue();
		Decision decided = new Decision(5, decree(1));
		assertThat(this.proposer.outcome()).isEqualTo(new Outcome.Decided(decided));
		assertThat(this.proposer.message()).isEqualTo(new Request.Learn(decided));
		assertThat(accepted(C)).isFalse();
	}

	@Test
	void aProposerProposesTheVoteOfTheHighestBallotOfAll() {
		promise(A, vote(2, 8));
		promise(B, vote(3, 9));
		assertThat(this.proposer.message()).isEqualTo(new Request.Accept(BASE, BALLOT, decree(9)));
		assertThat(promise(C, vote(4, 7))).as("a promise beyond the majority").isFalse();
		assertThat(this.proposer.message()).isEqualTo(new Request.Accept(BASE, BALLOT, decree(9)));
	}

	@Test
	void aProposerCountsNoAnswerOfOthersOrToOthers() {
		promise(A, null);
		assertThat(promise(new Voter("b", new UUID(0, 9)), null)).as("another life of b").isFalse();
		assertThat(promise(new Voter("d", new UUID(0, 2)), null)).as("no voter").isFalse();
		assertThat(this.proposer.takeIn(new Answer.Promise(6, B, BALLOT, null))).as("another version").isFalse();
		assertThat(this.proposer.takeIn(new Answer.Promise(5, B, new Ballot(4, new UUID(0, 1)), null)))
			.as("an earlier attempt")
			.isFalse();
		accepted(A);
		accepted(B);
		assertThat(this.proposer.outcome()).as("votes before the proposal").isEqualTo(new Outcome.Open());
		assertThat(promise(B, null)).isTrue();
	}

	@Test
	void nodesWithoutKnownStorageIdsDecideTogether() {
		Proposer first = new Proposer(BASE, Electorate.allOf(Set.of("a", "b")), BALLOT, decree(1));
		assertThat(first.takeIn(new Answer.Promise(5, A, BALLOT, null))).isFalse();
		assertThat(first.takeIn(new Answer.Promise(5, new Voter("a", new UUID(0, 8)), BALLOT, vote(2, 7))))
			.as("another life of the same node")
			.isFalse();
		assertThat(first.takeIn(new Answer.Promise(5, C, BALLOT, null))).as("no voter").isFalse();
		assertThat(first.takeIn(new Answer.Promise(5, B, BALLOT, null))).isTrue();
		first.takeIn(new Answer.Accepted(5, A, BALLOT));
		assertThat(first.outcome()).isEqualTo(new Outcome.Open());
		first.takeIn(new Answer.Accepted(5, B, BALLOT));
		assertThat(first.outcome()).isEqualTo(new Outcome.Decided(new Decision(5, decree(7))));
	}

	private static Voter restored(Voter voter) {
		return new Voter(voter.id(), new UUID(8, voter.id().charAt(0)));
	}

	private static boolean isDecidedBy(Electorate electorate, Voter... voters) {
		Proposer attempt = new Proposer(BASE, electorate, BALLOT, decree(1));
		for (Voter voter : voters) {
			attempt.takeIn(new Answer.Promise(5, voter, BALLOT, null));
		}
		for (Voter voter : voters) {
			attempt.takeIn(new Answer.Accepted(5, voter, BALLOT));
		}
		return attempt.outcome() instanceof Outcome.Decided;
	}

	@Test
	void nodesWithOtherDirectoriesDecideWhenAllDo() {
		Electorate named = Electorate.majorityOf(Set.of(A, B, C));
		Voter[] all = { restored(A), restored(B), restored(C) };
		assertThat(isDecidedBy(named, all)).as("they are not named").isFalse();
		assertThat(isDecidedBy(named.orAll(), all)).isTrue();
		assertThat(isDecidedBy(named.orAll(), restored(A), restored(B))).isFalse();
		assertThat(isDecidedBy(named.orAll(), A, restored(B))).isFalse();
		assertThat(isDecidedBy(named.orAll(), A, restored(A), restored(B))).as("two lives of one").isFalse();
		assertThat(isDecidedBy(named.orAll(), A, restored(B), restored(C))).isTrue();
		assertThat(isDecidedBy(named.orAll(), A, B)).as("a majority of the named directories").isTrue();
	}

	@Test
	void halfOfTheVotersDecideNothing() {
		assertThatIllegalArgumentException().isThrownBy(() -> new Electorate(Set.of(A, B), 1))
			.withMessage("1 votes of 2 decide nothing");
		assertThatIllegalArgumentException().isThrownBy(() -> Electorate.majorityOf(Set.of()));
		assertThat(Electorate.majorityOf(Set.of(A, B, C)).needed()).isEqualTo(2);
	}

	@Test
	void aProposerThatIsInterruptedStillCounts() {
		Ballot higher = new Ballot(6, new UUID(0, 2));
		promise(A, null);
		this.proposer.takeIn(new Answer.Refused(5, BALLOT));
		this.proposer.takeIn(new Answer.Refused(6, higher));
		assertThat(this.proposer.outcome()).as("its own ballot, another version").isEqualTo(new Outcome.Open());
		assertThat(this.proposer.takeIn(new Answer.Refused(5, higher))).isFalse();
		assertThat(this.proposer.outcome()).isEqualTo(new Outcome.Interrupted(higher));
		promise(B, null);
		accepted(A);
		accepted(B);
		assertThat(this.proposer.outcome()).isEqualTo(new Outcome.Decided(new Decision(5, decree(1))));
	}

	@Test
	void aProposerThatIsBehindEndsWithWhatWasDecided() {
		Decisions later = Decisions.of(new Decision(5, decree(3))).with(new Decision(6, decree(4)));
		this.proposer.takeIn(new Answer.Later(Decisions.of(BASE)));
		assertThat(this.proposer.outcome()).isEqualTo(new Outcome.Open());
		this.proposer.takeIn(new Answer.Later(later));
		assertThat(this.proposer.outcome()).isEqualTo(new Outcome.Overtaken(later));
		promise(A, null);
		promise(B, null);
		assertThat(this.proposer.outcome()).isEqualTo(new Outcome.Overtaken(later));
	}

}
