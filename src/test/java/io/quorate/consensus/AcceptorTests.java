package io.quorate.consensus;

import java.util.Set;
import java.util.UUID;

import io.quorate.consensus.Acceptor.Step;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class AcceptorTests {

	private static final Voter A = new Voter("a", new UUID(0, 1));

	private static final Decision FIRST = new Decision(1, decree(1));

	private static final Decision SECOND = new Decision(2, decree(2));

	private final Acceptor acceptor = new Acceptor(A, (_) -> Electorate.majorityOf(Set.of(A)));

	private static Decree decree(int... bytes) {
		byte[] all = new byte[bytes.length];
		for (int i = 0; i < all.length; i++) {
			all[i] = (byte) bytes[i];
		}
		return Decree.copyOf(all);
	}

	private static Ballot ballot(long round) {
		return new Ballot(round, new UUID(0, 9));
	}

	private Step prepare(AcceptorState state, Decision base, long round) {
		return this.acceptor.answer(state, new Request.Prepare(base, ballot(round)));
	}

	private Step accept(AcceptorState state, Decision base, long round, int content) {
		return this.acceptor.answer(state, new Request.Accept(base, ballot(round), decree(content)));
	}

	@Test
	void aVoterPromisesNoBallotBelowThePromised() {
		AcceptorState promised = prepare(AcceptorState.of(FIRST), FIRST, 5).state();
		assertThat(prepare(promised, FIRST, 4)).isEqualTo(new Step(promised, new Answer.Refused(2, ballot(5))));
		assertThat(accept(promised, FIRST, 4, 7)).isEqualTo(new Step(promised, new Answer.Refused(2, ballot(5))));
	}

	@Test
	void aVoterAnswersAMessageThatComesTwiceTheSameWay() {
		Step promise = prepare(AcceptorState.of(FIRST), FIRST, 5);
		assertThat(prepare(promise.state(), FIRST, 5)).isEqualTo(promise);
		Step vote = accept(promise.state(), FIRST, 5, 7);
		assertThat(accept(vote.state(), FIRST, 5, 7)).isEqualTo(vote);
	}

	@Test
	void aPromiseNamesTheLastVote() {
		AcceptorState voted = accept(AcceptorState.of(FIRST), FIRST, 5, 7).state();
		assertThat(prepare(voted, FIRST, 6).answer())
			.isEqualTo(new Answer.Promise(2, A, ballot(6), new Vote(ballot(5), decree(7))));
		AcceptorState again = accept(voted, FIRST, 8, 9).state();
		assertThat(again.promised()).isEqualTo(ballot(8));
		assertThat(prepare(again, FIRST, 9).answer())
			.isEqualTo(new Answer.Promise(2, A, ballot(9), new Vote(ballot(8), decree(9))));
	}

	@Test
	void aVoterThatIsBehindLearnsTheBaseFirst() {
		AcceptorState voted = accept(AcceptorState.of(FIRST), FIRST, 5, 7).state();
		Step promise = prepare(voted, SECOND, 1);
		assertThat(promise.answer()).isEqualTo(new Answer.Promise(3, A, ballot(1), null));
		assertThat(promise.state().decisions().latest()).isEqualTo(SECOND);
		assertThat(promise.state().accepted()).as("a vote for an earlier version").isNull();
	}

	@Test
	void aVoterThatIsAheadAnswersWithWhatWasDecided() {
		AcceptorState ahead = this.acceptor.answer(AcceptorState.of(FIRST), new Request.Learn(SECOND)).state();
		Step late = accept(ahead, FIRST, 9, 7);
		assertThat(late).isEqualTo(new Step(ahead, new Answer.Later(Decisions.of(SECOND))));
		assertThat(this.acceptor.answer(ahead, new Request.Learn(FIRST)).answer()).isEqualTo(late.answer());
		assertThat(this.acceptor.answer(ahead, new Request.Learn(SECOND)).answer()).isEqualTo(new Answer.Learned(2));
	}

	@Test
	void aNodeThatIsNoVoterDoesNotVote() {
		Acceptor other = new Acceptor(new Voter("b", A.storageId()), this.acceptor.voters());
		assertThat(other.answer(AcceptorState.of(FIRST), new Request.Prepare(SECOND, ballot(1))).answer())
			.isEqualTo(new Answer.NotNamed(3));
	}

	/* It counts where those of all nodes do. */
	@Test
	void aVoterWithAnotherStorageIdVotesUnderThat() {
		Voter present = new Voter("a", new UUID(0, 2));
		Acceptor other = new Acceptor(present, this.acceptor.voters());
		assertThat(other.answer(AcceptorState.of(FIRST), new Request.Prepare(SECOND, ballot(1))).answer())
			.isEqualTo(new Answer.Promise(3, present, ballot(1), null));
	}

	@Test
	void aVoterLearnsNoSecondContentOfAVersion() {
		AcceptorState state = this.acceptor.answer(AcceptorState.of(FIRST), new Request.Learn(SECOND)).state();
		assertThatExceptionOfType(ConflictingDecreeException.class)
			.isThrownBy(() -> prepare(state, new Decision(2, decree(3)), 1))
			.withMessage("version 2 has two contents: 1 bytes 02 here, 1 bytes 03 there")
			.satisfies((conflict) -> assertThat(conflict.version()).isEqualTo(2));
	}

	@Test
	void aQuestionForDecisionsChangesNothing() {
		AcceptorState known = AcceptorState.of(Decisions.of(FIRST).with(SECOND));
		assertThat(this.acceptor.answer(known, new Request.Get(1)))
			.isEqualTo(new Step(known, new Answer.Later(Decisions.of(SECOND))));
		assertThat(this.acceptor.answer(known, new Request.Get(2))).isEqualTo(new Step(known, new Answer.Learned(2)));
		assertThat(this.acceptor.answer(known, new Request.Get(9))).isEqualTo(new Step(known, new Answer.Learned(2)));
	}

}
