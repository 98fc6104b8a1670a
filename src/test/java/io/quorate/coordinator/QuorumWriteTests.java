package io.quorate.coordinator;

import java.time.Duration;
import java.util.List;

import io.quorate.clock.Timestamp;
import io.quorate.coordinator.QuorumNotReachedException.Fate;
import io.quorate.coordinator.QuorumNotReachedException.Said;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.entry.Entry;
import io.quorate.entry.Lineage;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.WriteReply;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;

class QuorumWriteTests extends ScriptedCluster {

	private static final Value VALUE = Value.copyOf(new byte[] { 1, 2, 3 });

	@Test
	void valueGoesToFromNodesAndATombstoneToAllOfTheReplicationFactor() {
		this.a.answeringAtOnce(APPLIED);
		StepVerifier.create(put(1, 2)).expectNextCount(1).verifyComplete();
		assertThat(this.c.applied()).isEmpty();
		StepVerifier.create(delete(1, 1)).expectNextCount(1).verifyComplete();
		assertThat(this.b.applied()).last().isInstanceOf(Entry.Tombstone.class);
		assertThat(this.c.applied()).singleElement().isEqualTo(this.a.applied().getLast());
	}

	@Test
	void onlyTheFirstFromNodesAcknowledgeADeletion() {
		StepVerifier.create(delete(1, 1))
			.then(() -> this.b.answer(APPLIED))
			.then(() -> this.c.answer(APPLIED))
			.then(this.outcome::requireNone)
			.then(() -> this.a.answer(APPLIED))
			.expectNextCount(1)
			.verifyComplete();
		StepVerifier.create(delete(1, 1))
			.then(() -> this.b.answer(superseded(NOW + 5)))
			.then(() -> this.c.answer(failed(Reason.FAILED)))
			.then(() -> this.a.answer(APPLIED))
			.expectNextCount(1)
			.verifyComplete();
	}

	@Test
	void whereAReplicaIsAwayTheOthersAreAskedForTheirStampsFirst() {
		this.suspects.suspect("c");
		StepVerifier.create(put(2, 3))
			.then(() -> this.a.answer(ABSENT))
			.then(() -> assertThat(this.a.applied()).isEmpty())
			.then(() -> this.b.answer(found(live(NOW + 5, 3))))
			.then(() -> assertThat(this.a.applied()).hasSize(1))
			.then(() -> this.a.answer(APPLIED))
			.then(() -> this.b.answer(superseded(NOW + 9)))
			.assertNext((written) -> assertThat(written.timestamp()).isGreaterThan(Timestamp.ofMillis(NOW + 5))
				.isLessThan(Timestamp.ofMillis(NOW + 9)))
			.verifyComplete();
		assertThat(this.a.applied()).as("what is newer is of a concurrent write").hasSize(1);
		assertThat(this.c.applied()).hasSize(1);
		assertThat(this.c.reads()).as("asked, and not waited for").isOne();
		assertThat(this.a.wanted()).containsExactly(0);
	}

	@Test
	void whereTooFewSayTheirStampsTheWriteIsTriedAllTheSame() {
		this.suspects.suspect("c");
		StepVerifier.create(put(2, 3))
			.then(() -> this.a.answer(ABSENT))
			.then(() -> this.b.answer(unreadable(Reason.JOINING)))
			.then(() -> this.a.answer(APPLIED))
			.then(() -> this.b.answer(APPLIED))
			.expectNextCount(1)
			.verifyComplete();
	}

	@Test
	void aReplicaThatHasPromisedTheKeyIsKeptAHint() {
		StepVerifier.create(put(2, 3))
			.then(() -> this.c.answer(new WriteReply.Promised(Timestamp.ofMillis(NOW + 5))))
			.then(() -> assertThat(this.missed).isEmpty())
			.then(() -> this.a.answer(APPLIED))
			.then(() -> assertThat(this.missed).containsExactly("c " + NOW))
			.then(() -> this.b.answer(APPLIED))
			.expectNextCount(1)
			.verifyComplete();
	}

	/* A round has carried an older plain write on: that has not replaced this one. */
	@Test
	void aWriteBelowWhatARoundHasCarriedOnGoesOnThroughTheRegister() {
		Entry carried = new Entry.Live(Timestamp.ofMillis(NOW + 9), 3, Entry.NEVER, VALUE, null,
				new Lineage(Timestamp.ofMillis(NOW - 5), null));
		this.suspects.suspect("c");
		StepVerifier.create(put(2, 3)).then(() -> {
			this.a.answer(ABSENT);
			this.b.answer(ABSENT);
			assertThat(this.a.applied()).as("it is in order").hasSize(1);
			this.a.answer(new WriteReply.Superseded(carried.timestamp(), false, false));
			this.b.answer(new WriteReply.Superseded(carried.timestamp(), false, false));
			this.a.answer(found(carried));
			this.b.answer(found(carried));
			this.outcome.requireNone();
			assertThat(this.a.proposals()).singleElement().satisfies((proposal) -> {
				assertThat(proposal.version()).isEqualTo(this.a.applied().getFirst().timestamp());
				assertThat(proposal.ballot()).isGreaterThan(carried.timestamp());
			});
			this.a.answer(new PrepareReply.Promised(Summary.of(carried)));
			this.b.answer(new PrepareReply.Promised(Summary.of(carried)));
			this.a.answer(APPLIED);
			this.outcome.requireNone();
			this.b.answer(APPLIED);
		})
			.assertNext((written) -> assertThat(written.timestamp()).isEqualTo(this.a.applied().getFirst().timestamp()))
			.verifyComplete();
		assertThat(this.a.applied()).last()
			.extracting(Entry::lineage)
			.isEqualTo(new Lineage(this.a.applied().getFirst().timestamp(), Timestamp.ofMillis(NOW - 5)));
	}

	private void promise(ScriptedReplica... replicas) {
		for (ScriptedReplica replica : replicas) {
			replica.answer(new WriteReply.Promised(Timestamp.ofMillis(NOW + 50)));
		}
	}

	@Test
	void aNarrowWriteThatWasRefusedAndHeldByNoneGetsANewStamp() {
		StepVerifier.create(put(2, 2)).then(() -> {
			promise(this.a, this.b);
			assertThat(this.a.applied()).hasSize(2);
			this.a.answer(APPLIED);
			this.b.answer(superseded(NOW + 90));
			this.outcome.requireNone();
			assertThat(this.a.applied()).as("promises have put nothing in order").hasSize(3);
			this.a.answer(APPLIED);
			this.b.answer(APPLIED);
		})
			.assertNext((written) -> assertThat(written.timestamp()).isEqualTo(this.a.applied().getLast().timestamp()))
			.verifyComplete();
		assertThat(this.a.applied().get(1).timestamp()).isGreaterThan(Timestamp.ofMillis(NOW + 50));
		assertThat(this.a.proposals()).isEmpty();
	}

	@Test
	void anUnorderedWriteThatWasRefusedByAllGetsANewStamp() {
		StepVerifier.create(put(1, 3)).then(() -> {
			promise(this.a, this.b, this.c);
			assertThat(this.c.applied()).hasSize(2);
			this.c.answer(APPLIED);
		})
			.assertNext((written) -> assertThat(written.timestamp()).isGreaterThan(Timestamp.ofMillis(NOW + 50)))
			.verifyComplete();
	}

	private void requireUnknownAfter(Runnable ending) {
		StepVerifier.create(put(2, 2)).then(() -> promise(this.b)).then(this.outcome::requireNone).then(() -> {
			ending.run();
			this.time.pass(Duration.ZERO);
		}).expectErrorSatisfies(QuorumWriteTests::requireUnknown).verify();
		assertThat(this.a.proposals()).isEmpty();
	}

	@Test
	void theFateOfANarrowWriteThatAReplicaMayHoldIsUnknown() {
		requireUnknownAfter(() -> this.a.answer(APPLIED));
		requireUnknownAfter(() -> this.a.answer(failed(Reason.TIMEOUT)));
		requireUnknownAfter(() -> this.suspects.suspect("a"));
		assertThat(this.a.applied()).as("each sent with one stamp").hasSize(3);
	}

	@Test
	void theFateOfANarrowWriteThatAReplicaIsSilentOnIsUnknown() {
		requireUnknownAfter(() -> this.time.pass(LIMIT));
		assertThat(this.a.applied()).as("sent with one stamp").hasSize(1);
	}

	private static void requireUnknown(Throwable failure) {
		assertThat(failure).isInstanceOfSatisfying(QuorumNotReachedException.class,
				(unknown) -> assertThat(unknown.fate()).isEqualTo(Fate.UNKNOWN));
	}

	/* Of three, c has been away, and b falls silent before it answers. */
	@Test
	void theTimestampOfASuspectReplicaCountsInThePlaceOfASilentOne() {
		this.suspects.suspect("c");
		StepVerifier.create(put(2, 3))
			.then(() -> this.a.answer(ABSENT))
			.then(() -> this.suspects.suspect("b"))
			.then(this.outcome::requireNone)
			.then(() -> assertThat(this.a.applied()).isEmpty())
			.then(() -> this.c.answer(found(live(NOW + 5, 3))))
			.then(() -> assertThat(this.a.applied()).hasSize(1))
			.then(() -> this.a.answer(APPLIED))
			.then(() -> this.c.answer(APPLIED))
			.assertNext((written) -> assertThat(written.timestamp()).isGreaterThan(Timestamp.ofMillis(NOW + 5)))
			.verifyComplete();
	}

	@Test
	void noStampsAreAskedForWhereNoOrderIsPromised() {
		this.suspects.suspect("c");
		StepVerifier.create(put(1, 3)).then(() -> this.a.answer(APPLIED)).expectNextCount(1).verifyComplete();
		assertThat(this.a.reads()).isZero();
	}

	@Test
	void writeThatAReadMayHaveFoundIsNotStampedAnew() {
		StepVerifier.create(put(2, 3))
			.then(() -> this.a.answer(APPLIED))
			.then(() -> this.b.answer(superseded(NOW + 5)))
			.then(() -> this.suspects.suspect("c"))
			.then(this.outcome::requireNone)
			.then(() -> this.c.answer(failed(Reason.FAILED)))
			.verifyError(QuorumNotReachedException.class);
		assertThat(this.a.applied()).hasSize(1);
	}

	@Test
	void replicaThatMayHaveHeldTheEntryIsNoReasonToStampItAnew() {
		StepVerifier.create(put(2, 3))
			.then(() -> this.a.answer(superseded(NOW + 5)))
			.then(() -> this.b.answer(new WriteReply.Superseded(Timestamp.ofMillis(NOW + 5), false)))
			.then(() -> this.b.answer(found(live(NOW + 5, 3))))
			.then(this.outcome::requireNone)
			.then(() -> assertThat(this.a.applied()).as("sent with one stamp: %s may have held it", "b").hasSize(1))
			.then(() -> this.c.answer(superseded(NOW + 5)))
			.then(() -> assertThat(this.a.applied()).hasSize(2))
			.then(() -> this.a.answer(superseded(NOW + 50)))
			.then(() -> this.b.answer(superseded(NOW + 50)))
			.expectNextCount(1)
			.verifyComplete();
	}

	/* A table of it that was just written has newer entries of other keys. */
	@Test
	void aReplicaThatFindsTheEntryToBeItsNewestAcknowledgesIt() {
		StepVerifier.create(put(2, 3))
			.then(() -> this.c.answer(superseded(NOW + 5)))
			.then(() -> this.a.answer(APPLIED))
			.then(() -> this.b.answer(new WriteReply.Superseded(Timestamp.ofMillis(NOW + 5), false)))
			.then(this.outcome::requireNone)
			.then(() -> this.b.answer(found(this.b.applied().getFirst())))
			.expectNextCount(1)
			.verifyComplete();
		assertThat(this.a.applied()).as("sent with one stamp").hasSize(1);
		assertThat(this.c.reads()).as("it has never held the entry").isZero();
	}

	@Test
	void theAckOfAnIncompleteReplicaPutsNoWriteInOrder() {
		StepVerifier.create(put(2, 3))
			.then(() -> this.a.answer(APPLIED))
			.then(() -> this.b.answer(WriteReply.Applied.INCOMPLETE))
			.then(this.outcome::requireNone)
			.then(() -> this.c.answer(APPLIED))
			.expectNextCount(1)
			.verifyComplete();
	}

	@Test
	void theAckOfAnIncompleteReplicaDoesNotReplaceThatOfAFailedOne() {
		StepVerifier.create(put(2, 3))
			.then(() -> this.a.answer(APPLIED))
			.then(() -> this.b.answer(WriteReply.Applied.INCOMPLETE))
			.then(() -> this.c.answer(failed(Reason.FAILED)))
			.verifyError(QuorumNotReachedException.class);
		assertThat(this.a.applied()).as("sent with one stamp").hasSize(1);
	}

	/*
	 * Its ack says nothing of the order yet. One of the others may have something newer
	 * of another client, and then no two of the three would put the write in order.
	 */
	@Test
	void anIncompleteAckMakesTheNextWriteAskForTheTimestamps() {
		StepVerifier.create(put(2, 3))
			.then(() -> this.c.answer(WriteReply.Applied.INCOMPLETE))
			.then(() -> this.a.answer(APPLIED))
			.then(() -> this.b.answer(APPLIED))
			.expectNextCount(1)
			.verifyComplete();
		putBesideAnother(WriteReply.Applied.INCOMPLETE);
	}

	@Test
	void theTimestampsAreAskedAfterTheReturnOfAReplica() {
		this.suspects.suspect("c");
		this.suspects.returned("c");
		putBesideAnother(WriteReply.Applied.INCOMPLETE);
		putBesideAnother(WriteReply.Applied.COMPLETE);
	}

	@Test
	void theTimestampsAreAskedBeforeTheStopOfAReplica() {
		this.suspects.suspect("c");
		putBesideAnother(failed(Reason.DRAINING));
		putBesideAnother(failed(Reason.DISCONNECTED));
	}

	/** Writes while b takes a newer entry of another client. */
	private void putBesideAnother(WriteReply ofC) {
		StepVerifier.create(put(2, 3))
			.then(() -> this.a.answer(ABSENT))
			.then(() -> this.b.answer(ABSENT))
			.then(() -> this.c.answer(unreadable(Reason.JOINING)))
			.then(() -> this.c.answer(ofC))
			.then(() -> this.b.answer(superseded(NOW + 9)))
			.then(() -> this.a.answer(APPLIED))
			.expectNextCount(1)
			.verifyComplete();
	}

	/* It has had part in every majority of two. */
	@Test
	void theOtherOneOfTwoReplicasPutsAWriteInOrder() {
		StepVerifier.create(put(2, 2))
			.then(() -> this.b.answer(WriteReply.Applied.INCOMPLETE))
			.then(() -> this.a.answer(APPLIED))
			.expectNextCount(1)
			.verifyComplete();
		StepVerifier.create(put(1, 1))
			.then(() -> this.a.answer(WriteReply.Applied.INCOMPLETE))
			.expectErrorSatisfies((error) -> {
				QuorumNotReachedException missed = (QuorumNotReachedException) error;
				assertThat(missed.replicas()).containsExactly(new Said("a", "incomplete"));
				assertThat(missed.acknowledged()).isZero();
			})
			.verify();
	}

	@Test
	void theAckOfAReplicaThatMayHaveLostSomethingNewerMakesDurable() {
		StepVerifier.create(put(3, 3))
			.then(() -> this.a.answer(APPLIED))
			.then(() -> this.b.answer(WriteReply.Applied.INCOMPLETE))
			.then(() -> this.c.answer(APPLIED))
			.expectNextCount(1)
			.verifyComplete();
		StepVerifier.create(put(1, 3))
			.then(() -> this.b.answer(WriteReply.Applied.INCOMPLETE))
			.expectNextCount(1)
			.verifyComplete();
	}

	@Test
	void aWriteThatAMajorityTookIsNotGivenANewTimestamp() {
		StepVerifier.create(put(3, 3))
			.then(() -> this.c.answer(superseded(NOW + 5)))
			.then(() -> this.a.answer(APPLIED))
			.then(this.outcome::requireNone)
			.then(() -> this.b.answer(APPLIED))
			.expectNextCount(1)
			.verifyComplete();
		assertThat(this.a.applied()).hasSize(1);
	}

	@Test
	void silentSuspectAloneNeitherFailsAWriteNorStampsItAnew() {
		this.suspects.suspect("b");
		this.suspects.suspect("c");
		StepVerifier.create(put(2, 3))
			.then(() -> this.a.answer(APPLIED))
			.then(this.outcome::requireNone)
			.then(() -> this.b.answer(APPLIED))
			.expectNextCount(1)
			.verifyComplete();
		assertThat(this.a.applied()).hasSize(1);
	}

	@Test
	void missesAreToldOnlyOnceSomeReplicaMayHoldTheEntry() {
		StepVerifier.create(put(1, 3))
			.then(() -> this.a.answer(failed(Reason.OVERLOADED)))
			.then(() -> assertThat(this.missed).isEmpty())
			.then(() -> this.b.answer(APPLIED))
			.expectNextCount(1)
			.verifyComplete();
		assertThat(this.missed).containsExactly("a " + NOW);
		this.c.answer(failed(Reason.TIMEOUT));
		assertThat(this.missed).as("after the answer, too").containsExactly("a " + NOW, "c " + NOW);
	}

	@Test
	void aWriteThatAllReplicasRefusedIsMissedByNone() {
		StepVerifier.create(put(1, 3))
			.then(() -> this.a.answer(failed(Reason.OVERLOADED)))
			.then(() -> this.b.answer(failed(Reason.DRAINING)))
			.then(() -> this.c.answer(failed(Reason.OVERLOADED)))
			.verifyError(RefusedException.class);
		assertThat(this.missed).isEmpty();
	}

	@Test
	void refusalsAreWaitedForAsLongAsAllMayRefuse() {
		StepVerifier.create(put(2, 3))
			.then(() -> this.a.answer(failed(Reason.OVERLOADED)))
			.then(() -> this.b.answer(failed(Reason.DISK_FULL)))
			.then(this.outcome::requireNone)
			.then(() -> this.c.answer(failed(Reason.OVERLOADED)))
			.expectErrorSatisfies((error) -> assertThat(((RefusedException) error).why()).isEqualTo(Why.DISK_FULL))
			.verify();
		assertThat(this.admission.requests()).isZero();
	}

	@Test
	void lastReplicaThatDoesNotRefuseLeavesTheOutcomeUnknown() {
		for (WriteReply last : List.of(APPLIED, superseded(NOW + 5), failed(Reason.FAILED),
				failed(Reason.DISCONNECTED))) {
			StepVerifier.create(put(2, 3))
				.then(() -> this.a.answer(failed(Reason.OVERLOADED)))
				.then(() -> this.b.answer(failed(Reason.OVERLOADED)))
				.then(() -> this.c.answer(last))
				.verifyError(QuorumNotReachedException.class);
		}
	}

	@Test
	void refusalsOfNodesBeyondFromAreWaitedForToo() {
		StepVerifier.create(delete(1, 1))
			.then(() -> this.a.answer(failed(Reason.OVERLOADED)))
			.then(() -> this.b.answer(failed(Reason.OVERLOADED)))
			.then(this.outcome::requireNone)
			.then(() -> this.c.answer(failed(Reason.DRAINING)))
			.verifyError(RefusedException.class);
	}

	@Test
	void refusalOfASuspectIsNotWaitedFor() {
		this.suspects.suspect("c");
		StepVerifier.create(put(2, 3))
			.then(() -> this.a.answer(ABSENT))
			.then(() -> this.b.answer(ABSENT))
			.then(() -> this.a.answer(failed(Reason.OVERLOADED)))
			.then(() -> this.b.answer(failed(Reason.OVERLOADED)))
			.verifyError(QuorumNotReachedException.class);
	}

	@Test
	void refusalOfOneThatBecomesSuspectIsNotWaitedFor() {
		StepVerifier.create(put(2, 3))
			.then(() -> this.a.answer(failed(Reason.OVERLOADED)))
			.then(() -> this.b.answer(failed(Reason.OVERLOADED)))
			.then(() -> this.suspects.suspect("c"))
			.expectErrorSatisfies((error) -> assertThat(((QuorumNotReachedException) error).replicas())
				.contains(new Said("b", "overloaded"), new Said("c", "silent")))
			.verify();
	}

	@Test
	void aWriteOfUnknownOutcomeIsMissedByAllReplicasThatFailed() {
		StepVerifier.create(put(1, 2))
			.then(() -> this.a.answer(failed(Reason.OVERLOADED)))
			.then(() -> this.b.answer(failed(Reason.TIMEOUT)))
			.verifyError(QuorumNotReachedException.class);
		assertThat(this.missed).containsExactly("a " + NOW, "b " + NOW);
	}

	@Test
	void nodesBeyondFromMissDeletionsToo() {
		this.a.answeringAtOnce(APPLIED);
		StepVerifier.create(delete(1, 1)).expectNextCount(1).verifyComplete();
		this.c.answer(failed(Reason.FAILED));
		assertThat(this.missed).containsExactly("c " + NOW);
	}

	@Test
	void deletionThatANodeBeyondFromTookIsNotRefused() {
		StepVerifier.create(delete(1, 1))
			.then(() -> this.b.answer(APPLIED))
			.then(() -> this.c.answer(failed(Reason.OVERLOADED)))
			.then(() -> this.a.answer(failed(Reason.OVERLOADED)))
			.verifyError(QuorumNotReachedException.class);
	}

	@Test
	void refusalAtALaterAttemptLeavesTheOutcomeUnknown() {
		StepVerifier.create(put(1, 1))
			.then(() -> this.a.answer(superseded(NOW + 5)))
			.then(() -> this.a.answer(failed(Reason.OVERLOADED)))
			.verifyError(QuorumNotReachedException.class);
	}

	@Test
	void stampFromTheFarFutureIsNeitherFollowedNorExceeded() {
		StepVerifier.create(put(1, 1))
			.then(() -> this.a.answer(superseded(NOW + MAX_SKEW.toMillis() + 1)))
			.verifyError(QuorumNotReachedException.class);
		assertThat(this.clock.currentMillis()).isEqualTo(NOW);
		assertThat(this.a.applied()).hasSize(1);
	}

	@Test
	void aReplyMovesTheClockEvenWhenItIsNotNeeded() {
		StepVerifier.create(put(1, 2)).then(() -> this.a.answer(APPLIED)).expectNextCount(1).verifyComplete();
		this.b.answer(superseded(NOW + 9));
		assertThat(this.clock.currentMillis()).isEqualTo(NOW + 9);
	}

	@Test
	void nodeWhoseClockIsFarAheadWritesNothing() {
		this.judge.heard("b", NOW - MAX_SKEW.toMillis() - 30_000);
		StepVerifier.create(put(1, 1))
			.expectErrorSatisfies((error) -> assertThat(((RefusedException) error).why()).isEqualTo(Why.CLOCK))
			.verify();
		assertThat(this.a.applied()).isEmpty();
		assertThat(this.clock.lastHybrid()).as("what it would poison for later").isZero();
		assertThat(this.admission.requests()).isZero();
	}

	@Test
	void nothingIsLeftPendingAfterAnAnswer() {
		this.a.answeringAtOnce(APPLIED);
		StepVerifier.create(put(1, 3)).expectNextCount(1).verifyComplete();
		assertThat(this.coordinator.pending()).isZero();
	}

	private Mono<Written> put(int ack, int from) {
		return this.outcome.of(Mono.defer(() -> this.coordinator.put(KEY, Content.of(VALUE),
				requestContext(ack, from, this.admission.admit(VALUE.size())))));
	}

	private Mono<Written> delete(int ack, int from) {
		return this.outcome
			.of(Mono.defer(() -> this.coordinator.delete(KEY, requestContext(ack, from, this.admission.admit(0)))));
	}

}
