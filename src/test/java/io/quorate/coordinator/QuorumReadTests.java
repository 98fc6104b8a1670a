package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.List;

import io.quorate.clock.Timestamp;
import io.quorate.coordinator.QuorumNotReachedException.Said;
import io.quorate.entry.Entry;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.WriteReply;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;

class QuorumReadTests extends UnhedgedFixture {

	private static final Entry OLD = live(10, 3);

	private static final Entry NEW = live(20, 3);

	private static final Entry TOMBSTONE = new Entry.Tombstone(Timestamp.ofMillis(20), 3);

	@Test
	void asksNoMoreReplicasThanMustAnswer() {
		StepVerifier.create(read(2, 3))
			.then(() -> this.a.answer(found(NEW)))
			.then(() -> this.b.answer(found(NEW)))
			.expectNext(new ReadOutcome.Found((Entry.Live) NEW))
			.verifyComplete();
		assertThat(this.c.reads()).isZero();
		assertThat(this.a.applied()).isEmpty();
		assertThat(this.coordinator.pending()).isZero();
	}

	@Test
	void asksOneMoreAtOnceWhenOneFails() {
		StepVerifier.create(read(2, 3))
			.then(() -> this.b.answer(unreadable(Reason.CORRUPT)))
			.then(() -> assertThat(this.c.reads()).isOne())
			.then(() -> this.a.answer(found(NEW)))
			.then(() -> this.c.answer(found(NEW)))
			.expectNextCount(1)
			.verifyComplete();
	}

	@Test
	void failsAsSoonAsTooManyHaveFailed() {
		StepVerifier.create(read(2, 3))
			.then(() -> this.a.answer(unreadable(Reason.FAILED)))
			.then(() -> this.b.answer(unreadable(Reason.OVERLOADED)))
			.expectErrorSatisfies((error) -> assertThat(((QuorumNotReachedException) error).replicas())
				.containsExactly(new Said("a", "failed"), new Said("b", "overloaded"), new Said("c", "silent")))
			.verify();
	}

	@Test
	void failsAsRefusedWhenNothingButOverloadIsInTheWay() {
		StepVerifier.create(read(2, 3))
			.then(() -> this.a.answer(unreadable(Reason.OVERLOADED)))
			.then(() -> this.b.answer(unreadable(Reason.OVERLOADED)))
			.verifyError(RefusedException.class);
	}

	@Test
	void suspectIsAskedLast() {
		this.suspects.suspect("a");
		StepVerifier.create(read(1, 3))
			.then(() -> assertThat(this.a.reads()).isZero())
			.then(() -> this.b.answer(ABSENT))
			.expectNext(new ReadOutcome.Missing())
			.verifyComplete();
	}

	@Test
	void contactThatBecomesSuspectIsReplacedAtOnce() {
		StepVerifier.create(read(2, 3))
			.then(() -> this.a.answer(ABSENT))
			.then(() -> this.suspects.suspect("b"))
			.then(() -> assertThat(this.c.reads()).isOne())
			.then(() -> this.c.answer(ABSENT))
			.expectNext(new ReadOutcome.Missing())
			.verifyComplete();
		assertThat(this.b.cancelled()).isOne();
	}

	@Test
	void slowContactIsHedged() {
		for (int i = 0; i < Hedging.READS_PER_HEDGE; i++) {
			this.coordinator.readServices().hedging().earn();
		}
		StepVerifier.create(read(2, 3))
			.then(() -> this.a.answer(ABSENT))
			.then(() -> this.time.pass(HEDGE_DELAY))
			.then(() -> assertThat(this.c.reads()).isOne())
			.then(() -> this.c.answer(ABSENT))
			.expectNext(new ReadOutcome.Missing())
			.verifyComplete();
	}

	@Test
	void staleReplicaIsRepairedBeforeTheAnswer() {
		StepVerifier.create(read(2, 3))
			.then(() -> this.a.answer(found(NEW)))
			.then(() -> this.b.answer(found(OLD)))
			.then(() -> assertThat(this.b.applied()).containsExactly(NEW))
			.then(this.outcome::requireNone)
			.then(() -> this.b.answer(APPLIED))
			.expectNext(new ReadOutcome.Found((Entry.Live) NEW))
			.verifyComplete();
	}

	@Test
	void answerWaitsForTheRepairUntilTheDeadline() {
		StepVerifier.create(read(2, 2, LIMIT))
			.then(() -> this.a.answer(found(NEW)))
			.then(() -> this.b.answer(ABSENT))
			.then(() -> this.time.pass(LIMIT))
			.expectErrorSatisfies((error) -> assertThat(((QuorumNotReachedException) error).replicas())
				.containsExactly(new Said("a", "ack"), new Said("b", "stale")))
			.verify();
	}

	@Test
	void replicaNotAskedYetIsSentTheEntryWhenARepairFails() {
		StepVerifier.create(read(2, 3))
			.then(() -> this.a.answer(found(NEW)))
			.then(() -> this.b.answer(ABSENT))
			.then(() -> this.b.answer(failed(Reason.OVERLOADED)))
			.then(() -> assertThat(this.c.applied()).containsExactly(NEW))
			.then(() -> this.c.answer(APPLIED))
			.expectNext(new ReadOutcome.Found((Entry.Live) NEW))
			.verifyComplete();
	}

	@Test
	void aRepairByAReplicaThatMayHaveLostSomethingNewerDoesNotCount() {
		StepVerifier.create(read(2, 3))
			.then(() -> this.a.answer(found(NEW)))
			.then(() -> this.b.answer(found(OLD)))
			.then(() -> this.b.answer(WriteReply.Applied.INCOMPLETE))
			.then(this.outcome::requireNone)
			.then(() -> assertThat(this.c.applied()).containsExactly(NEW))
			.then(() -> this.c.answer(APPLIED))
			.expectNext(new ReadOutcome.Found((Entry.Live) NEW))
			.verifyComplete();
	}

	@Test
	void readFailsWhenNoRepairIsPossibleAnyMore() {
		StepVerifier.create(read(2, 2))
			.then(() -> this.a.answer(found(NEW)))
			.then(() -> this.b.answer(ABSENT))
			.then(() -> this.b.answer(failed(Reason.DISK_FULL)))
			.verifyError(QuorumNotReachedException.class);
	}

	/* The round is one of all replicas, however few are read. */
	@Test
	void aReadThatAPromiseKeepsFromARepairSettlesItAndBeginsAnew() {
		StepVerifier.create(read(2, 2)).then(() -> {
			this.a.answer(found(NEW));
			this.b.answer(ABSENT);
			this.b.answer(new WriteReply.Promised(Timestamp.ofMillis(30)));
			this.outcome.requireNone();
			assertThat(this.c.proposals()).hasSize(1);
			this.b.answer(new PrepareReply.Promised(null));
			this.c.answer(new PrepareReply.Promised(Summary.of(NEW)));
			this.c.answer(found(NEW));
			this.b.answer(APPLIED);
			this.outcome.requireNone();
			this.c.answer(APPLIED);
			this.outcome.requireNone();
			assertThat(this.c.applied().getLast().from()).isEqualTo(3);
			this.a.answer(found(this.c.applied().getLast()));
			this.b.answer(found(this.c.applied().getLast()));
		}).assertNext((read) -> assertThat(read).isInstanceOf(ReadOutcome.Found.class)).verifyComplete();
	}

	@Test
	void aSupersedingEntryIsReadWhenTooFewReplicasHeldTheOlder() {
		Entry newer = live(30, 2);
		StepVerifier.create(read(2, 2))
			.then(() -> this.a.answer(found(NEW)))
			.then(() -> this.b.answer(ABSENT))
			.then(() -> this.b.answer(superseded(30)))
			.then(() -> this.b.answer(found(newer)))
			.then(() -> this.a.answer(APPLIED))
			.expectNext(new ReadOutcome.Found((Entry.Live) newer))
			.verifyComplete();
		assertThat(this.a.applied()).containsExactly(newer);
		assertThat(this.clock.lastHybrid()).isEqualTo(Timestamp.ofMillis(30).hybrid());
	}

	/* A table of it may hold something newer, and does not: its own copy is hidden. */
	@Test
	void aReplicaThatMayPurgeADeletionHoldsItAlthoughItShowsNothing() {
		Entry deletion = new Entry.Tombstone(Timestamp.ofMillis(20), 2);
		StepVerifier.create(read(2, 2))
			.then(() -> this.a.answer(found(deletion)))
			.then(() -> this.b.answer(ABSENT))
			.then(() -> this.b.answer(superseded(30)))
			.then(() -> this.b.answer(ABSENT))
			.expectNext(new ReadOutcome.Missing())
			.verifyComplete();
		assertThat(this.b.applied()).containsExactly(deletion);
	}

	@Test
	void aReplicaThatShowsNothingOfWhatItHasTakenIsNotBelieved() {
		StepVerifier.create(read(2, 2))
			.then(() -> this.a.answer(found(NEW)))
			.then(() -> this.b.answer(ABSENT))
			.then(() -> this.b.answer(superseded(30)))
			.then(() -> this.b.answer(ABSENT))
			.verifyError(QuorumNotReachedException.class);
	}

	/* Whose first repair has failed may take the newer entry. */
	@Test
	void aReplicaIsRepairedAgainWithWhatTurnsOutToBeNewer() {
		StepVerifier.create(read(2, 3))
			.then(() -> this.a.answer(found(OLD)))
			.then(() -> this.b.answer(ABSENT))
			.then(() -> this.b.answer(failed(Reason.OVERLOADED)))
			.then(() -> this.c.answer(superseded(20)))
			.then(() -> this.c.answer(found(NEW)))
			.then(() -> this.a.answer(failed(Reason.DISK_FULL)))
			.then(() -> this.b.answer(APPLIED))
			.expectNext(new ReadOutcome.Found((Entry.Live) NEW))
			.verifyComplete();
		assertThat(this.a.applied()).containsExactly(NEW);
		assertThat(this.b.applied()).containsExactly(OLD, NEW);
	}

	@Test
	void whereAMajorityHasHeldTheEntryAnotherOneMayBeBeyondIt() {
		StepVerifier.create(read(3, 3))
			.then(() -> this.a.answer(found(NEW)))
			.then(() -> this.b.answer(found(NEW)))
			.then(() -> this.c.answer(ABSENT))
			.then(() -> this.c.answer(superseded(30)))
			.expectNext(new ReadOutcome.Found((Entry.Live) NEW))
			.verifyComplete();
		assertThat(this.c.reads()).isOne();
	}

	@Test
	void readOfAMinorityIsNotWaitingForAMajority() {
		StepVerifier.create(read(1, 3))
			.then(() -> this.a.answer(found(NEW)))
			.expectNext(new ReadOutcome.Found((Entry.Live) NEW))
			.verifyComplete();
	}

	@Test
	void replicaThatSupersedesARepairFromTheFarFutureIsNotBelieved() {
		StepVerifier.create(read(2, 2))
			.then(() -> this.a.answer(found(NEW)))
			.then(() -> this.b.answer(ABSENT))
			.then(() -> this.b.answer(superseded(NOW + MAX_SKEW.toMillis() + 1)))
			.expectErrorSatisfies((error) -> assertThat(((QuorumNotReachedException) error).replicas())
				.containsExactly(new Said("a", "ack"), new Said("b", "clock-skew")))
			.verify();
	}

	@Test
	void valuesThatDifferAreCountedAndEqualOnesOnce() {
		Admission.Permit permit = this.admission.admit(0);
		StepVerifier.create(read(3, 3, permit))
			.then(() -> this.a.answer(found(sized(10, 300))))
			.then(() -> this.b.answer(found(sized(20, 200))))
			.then(() -> assertThat(this.admission.bytes()).isEqualTo(500))
			.then(() -> this.c.answer(found(sized(20, 200))))
			.then(() -> assertThat(this.admission.bytes()).isEqualTo(500))
			.then(() -> this.a.answer(APPLIED))
			.expectNextCount(1)
			.verifyComplete();
		assertThat(this.admission.bytes()).as("the value that is given").isEqualTo(200);
		permit.close();
		assertThat(this.admission.bytes()).isZero();
	}

	@Test
	void readIsRefusedWhenThereIsNoRoomForAValue() {
		Admission.Permit permit = this.admission.admit(0);
		StepVerifier.create(read(2, 3, permit))
			.then(() -> this.a.answer(found(sized(10, 60_000))))
			.then(() -> this.b.answer(found(sized(20, 60_000))))
			.verifyError(RefusedException.class);
		assertThat(this.c.reads()).isZero();
		permit.close();
		assertThat(this.admission.bytes()).isZero();
	}

	@Test
	void bytesAfterThePermitIsClosedAreNotCounted() {
		Admission.Permit permit = this.admission.admit(0);
		permit.close();
		assertThat(permit.tryHold(100)).isFalse();
		assertThat(this.admission.bytes()).isZero();
	}

	@Test
	void oneReadInTwentyIsHedgedAtTheMost() {
		List<Disposable> reads = new ArrayList<>();
		for (int i = 0; i < 10 * Hedging.READS_PER_HEDGE; i++) {
			reads.add(read(1, 3).subscribe());
			this.a.answer(ABSENT);
		}
		for (int i = 0; i < 30; i++) {
			reads.add(read(1, 3).subscribe());
		}
		this.time.pass(HEDGE_DELAY);
		assertThat(this.b.reads() + this.c.reads()).isBetween(10, 11);
		this.time.pass(HEDGE_DELAY);
		assertThat(this.b.reads() + this.c.reads()).as("tokens, spent").isBetween(10, 11);
		reads.forEach(Disposable::dispose);
		assertThat(this.coordinator.pending()).isZero();
	}

	@Test
	void valueIsNeverSentBeyondTheNodesThatItWasWrittenTo() {
		Entry narrow = live(20, 1);
		StepVerifier.create(read(2, 3))
			.then(() -> this.a.answer(found(narrow)))
			.then(() -> this.b.answer(ABSENT))
			.expectNext(new ReadOutcome.Found((Entry.Live) narrow))
			.verifyComplete();
		assertThat(this.b.applied()).isEmpty();
		assertThat(this.c.applied()).isEmpty();
	}

	@Test
	void tombstoneIsSentToAllNodesOfTheReplicationFactor() {
		Entry narrow = new Entry.Tombstone(Timestamp.ofMillis(20), 1);
		StepVerifier.create(read(2, 2))
			.then(() -> this.a.answer(found(narrow)))
			.then(() -> this.b.answer(found(OLD)))
			.then(() -> this.b.answer(APPLIED))
			.expectNext(new ReadOutcome.Missing())
			.verifyComplete();
		assertThat(this.b.applied()).containsExactly(narrow);
		assertThat(this.c.applied()).containsExactly(narrow);
	}

	@Test
	void tombstoneThatNobodyLacksIsSentNowhere() {
		StepVerifier.create(read(2, 3))
			.then(() -> this.a.answer(found(TOMBSTONE)))
			.then(() -> this.b.answer(found(TOMBSTONE)))
			.expectNext(new ReadOutcome.Missing())
			.verifyComplete();
		assertThat(this.c.applied()).isEmpty();
	}

	@Test
	void staleReplicaThatTheAnswerDoesNotNeedIsRepairedAfterIt() {
		Entry newest = live(30, 3);
		StepVerifier.create(read(2, 3))
			.then(() -> this.suspects.suspect("b"))
			.then(() -> assertThat(this.c.reads()).isOne())
			.then(() -> this.a.answer(found(newest)))
			.then(() -> this.c.answer(found(OLD)))
			.then(() -> this.b.answer(found(newest)))
			.expectNextCount(1)
			.verifyComplete();
		assertThat(this.c.applied()).containsExactly(newest);
	}

	@Test
	void answerFromTheFarFutureCountsAsNoAnswer() {
		StepVerifier.create(read(2, 3))
			.then(() -> this.a.answer(found(live(NOW + MAX_SKEW.toMillis() + 1, 3))))
			.then(() -> this.b.answer(ABSENT))
			.then(() -> this.c.answer(ABSENT))
			.expectNext(new ReadOutcome.Missing())
			.verifyComplete();
		StepVerifier.create(read(3, 3))
			.then(() -> this.a.answer(found(live(NOW + MAX_SKEW.toMillis() + 1, 3))))
			.expectErrorSatisfies((error) -> assertThat(((QuorumNotReachedException) error).replicas())
				.contains(new Said("a", "clock-skew")))
			.verify();
		assertThat(this.clock.currentMillis()).isEqualTo(NOW);
	}

	@Test
	void aReadMovesTheClock() {
		StepVerifier.create(read(1, 1))
			.then(() -> this.a.answer(found(live(NOW + 500, 3))))
			.expectNextCount(1)
			.verifyComplete();
		assertThat(this.clock.currentMillis()).isEqualTo(NOW + 500);
	}

	@Test
	void abandonedReadIsForgotten() {
		StepVerifier.create(read(2, 3)).thenCancel().verify();
		assertThat(this.a.reads()).as("abandoned before it began").isZero();
		StepVerifier.create(read(2, 3)).then(() -> assertThat(this.b.reads()).isOne()).thenCancel().verify();
		assertThat(this.coordinator.pending()).isZero();
		assertThat(this.a.cancelled() + this.b.cancelled()).isEqualTo(2);
	}

	private static Entry sized(long millis, int sizeBytes) {
		return new Entry.Live(Timestamp.ofMillis(millis), 3, Entry.NEVER, Value.wrap(new byte[sizeBytes]));
	}

}
