package io.quorate.consensus;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ParticipantTests {

	private static final Voter SELF = new Voter("a", new UUID(0, 1));

	private static final Decision FIRST = new Decision(1, Decree.copyOf(new byte[] { 1 }));

	private static final Decree WISH = Decree.copyOf(new byte[] { 2 });

	private final List<AcceptorState> kept = new ArrayList<>(List.of(AcceptorState.of(FIRST)));

	private @Nullable IOException failure;

	private final Ledger ledger = new Ledger() {

		@Override
		public AcceptorState recovered() {
			return ParticipantTests.this.kept.getLast();
		}

		@Override
		public void keep(AcceptorState state) throws IOException {
			if (ParticipantTests.this.failure != null) {
				throw ParticipantTests.this.failure;
			}
			ParticipantTests.this.kept.add(state);
		}

	};

	private Participant participant = started();

	private Participant started() {
		return new Participant(SELF, (_) -> Electorate.majorityOf(Set.of(SELF)), this.ledger);
	}

	private static Ballot ballotOf(Proposer proposer) {
		return ((Request.Prepare) proposer.message()).ballot();
	}

	@Test
	void aMemberKeepsWhatItHasNotSaidBefore() throws IOException {
		Request prepare = new Request.Prepare(FIRST, new Ballot(3, new UUID(0, 2)));
		this.participant.answer(prepare);
		assertThat(this.kept).hasSize(2);
		assertThat(this.kept.getLast().promised()).isEqualTo(new Ballot(3, new UUID(0, 2)));
		this.participant.answer(prepare);
		assertThat(this.kept).as("the same answer again").hasSize(2);
	}

	@Test
	void aMemberUsesNoBallotTwiceOverRestarts() throws IOException {
		Ballot first = ballotOf(this.participant.propose(WISH, Ballot.NONE));
		assertThat(first).isEqualTo(new Ballot(1, SELF.storageId()));
		assertThat(this.kept.getLast().round()).isEqualTo(1);
		this.participant = started();
		assertThat(ballotOf(this.participant.propose(WISH, Ballot.NONE)).round()).isEqualTo(2);
		this.participant.answer(new Request.Prepare(FIRST, new Ballot(7, new UUID(0, 2))));
		assertThat(ballotOf(this.participant.propose(WISH, Ballot.NONE)).round()).isEqualTo(8);
		assertThat(ballotOf(this.participant.propose(WISH, new Ballot(20, new UUID(0, 2)))).round()).isEqualTo(21);
	}

	@Test
	void aMemberAloneHasItsWishDecided() throws IOException {
		Proposer proposer = this.participant.propose(WISH, Ballot.NONE);
		while (proposer.takeIn(this.participant.answer(proposer.message()))) {
			assertThat(this.kept).hasSizeLessThan(9);
		}
		Decision second = new Decision(2, WISH);
		assertThat(proposer.outcome()).isEqualTo(new Proposer.Outcome.Decided(second));
		assertThat(this.participant.decisions().latest()).isEqualTo(second);
		assertThat(started().decisions().kept()).containsExactly(FIRST, second);
	}

	@Test
	void aMemberWhoseLedgerHasFailedStaysSilent() throws IOException {
		this.failure = new IOException("no space");
		Request prepare = new Request.Prepare(FIRST, new Ballot(3, new UUID(0, 2)));
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.participant.answer(prepare))
			.withMessage("no space");
		this.failure = null;
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.participant.answer(prepare))
			.withMessage("the ledger has failed before: no space");
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.participant.propose(WISH, Ballot.NONE));
		assertThat(this.kept).hasSize(1);
		assertThat(started().answer(prepare)).isInstanceOf(Answer.Promise.class);
	}

}
