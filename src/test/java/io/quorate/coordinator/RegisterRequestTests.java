package io.quorate.coordinator;

import java.time.Duration;
import java.util.List;

import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.CoordinatorMetrics.Operation;
import io.quorate.coordinator.QuorumNotReachedException.Fate;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.entry.Condition;
import io.quorate.entry.Entry;
import io.quorate.entry.Lineage;
import io.quorate.entry.Value;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.WriteReply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;

/** The rounds of a request on a register, and what they conclude. */
class RegisterRequestTests extends RegisterFixture {

	private static final Entry OLD = live(10, 3);

	private static final Entry EXPIRED = new Entry.Live(Timestamp.ofMillis(10), 3, NOW - 1, VALUE);

	private static final Timestamp OUTBID_BY = Timestamp.ofMillis(NOW + 10);

	private RegisterTerms read() {
		return new RegisterTerms(Operation.GET, KEY, Condition.NONE, null,
				requestContext(2, 3, this.admission.admit(0)));
	}

	/* The first round of a write has proposed, and others were faster. */
	private Timestamp outbid() {
		promise(NOTHING_HELD);
		Timestamp version = accepted().version();
		this.a.answer(APPLIED);
		this.b.answer(new WriteReply.Promised(OUTBID_BY));
		this.c.answer(new WriteReply.Superseded(OUTBID_BY, true, false));
		nextRound();
		assertThat(this.a.proposals()).hasSize(2);
		assertThat(proposal().version()).isEqualTo(version);
		assertThat(proposal().condition()).isEqualTo(Condition.NONE);
		assertThat(proposal().ballot()).isGreaterThan(OUTBID_BY);
		return version;
	}

	/* Between the version and the ballot of the second round. */
	private static Entry above(@Nullable Lineage lineage) {
		return new Entry.Live(Timestamp.ofMillis(NOW + 5), 3, Entry.NEVER, VALUE, null, lineage);
	}

	private static Entry above(Timestamp parent) {
		return above(new Lineage(Timestamp.ofMillis(NOW + 5), parent));
	}

	private void settle(Entry base) {
		promise(promised(base));
		this.a.answer(found(base));
		requireSettled(base);
	}

	/* The request has the value. */
	private void settleOwn(Entry base) {
		int reads = this.a.reads() + this.b.reads();
		promise(promised(base));
		assertThat(this.a.reads() + this.b.reads()).isEqualTo(reads);
		requireSettled(base);
	}

	private void requireSettled(Entry base) {
		assertThat(accepted()).as("settled")
			.isEqualTo(new Entry.Live(proposal().ballot(), 3, base.expiryMillis(), ((Entry.Live) base).value(), null,
					new Lineage(base.version(), base.parent())));
		this.outcome.requireNone();
		accept();
	}

	@Test
	void aWriteIsProposedOnALowerVersion() {
		StepVerifier.create(run(write(match(10)))).then(() -> {
			assertThat(proposal().condition()).isEqualTo(match(10));
			assertThat(proposal().version()).isEqualTo(proposal().ballot());
			promise(promised(OLD));
			assertThat(accepted()).isEqualTo(new Entry.Live(proposal().ballot(), 3, Entry.NEVER, VALUE, null,
					new Lineage(proposal().ballot(), OLD.version())));
			this.a.answer(APPLIED);
			this.outcome.requireNone();
			this.b.answer(APPLIED);
		}).assertNext((settled) -> assertThat(settled.version()).isEqualTo(proposal().ballot())).verifyComplete();
		assertThat(this.a.released()).isEmpty();
		assertThat(this.a.reads()).isZero();
	}

	@Test
	void aPromiserThatHoldsAnotherVersionHasItSettled() {
		StepVerifier.create(run(write(match(5))))
			.then(() -> settle(OLD))
			.expectErrorSatisfies((failure) -> requireUnmet(failure, OLD.version(), null))
			.verify();
	}

	@Test
	void aVersionThatIsFoundAgainHasTakenEffect() {
		StepVerifier.create(run(write(Condition.ABSENT))).then(() -> {
			outbid();
			settleOwn(this.a.applied().getFirst());
			assertThat(accepted().parent()).isEqualTo(Timestamp.ZERO);
		})
			.assertNext((settled) -> assertThat(settled.version()).isEqualTo(this.a.proposals().getFirst().version()))
			.verifyComplete();
	}

	@Test
	void aVersionThatIsTheParentOfWhatIsFoundHasTakenEffect() {
		StepVerifier.create(run(write(Condition.ABSENT)))
			.then(() -> settle(above(outbid())))
			.assertNext((settled) -> assertThat(settled.version()).isEqualTo(this.a.proposals().getFirst().version()))
			.verifyComplete();
	}

	@Test
	void aVersionThatWasSkippedIsDeadAndAnotherOneTaken() {
		StepVerifier.create(run(write(Condition.NONE))).then(() -> {
			Timestamp dead = outbid();
			settle(above(Timestamp.ofMillis(10)));
			nextRound();
			assertThat(proposal().version()).isEqualTo(proposal().ballot()).isGreaterThan(dead);
			promise(promised(this.a.applied().getLast()));
			assertThat(accepted().parent()).isEqualTo(Timestamp.ofMillis(NOW + 5));
			accept();
		}).assertNext((settled) -> assertThat(settled.version()).isEqualTo(proposal().version())).verifyComplete();
	}

	@Test
	void aVersionThatWasSkippedIsDeadAndItsConditionFails() {
		StepVerifier.create(run(write(Condition.ABSENT))).then(() -> {
			outbid();
			settle(above(Timestamp.ofMillis(10)));
		}).expectErrorSatisfies((failure) -> requireUnmet(failure, Timestamp.ofMillis(NOW + 5), null)).verify();
	}

	@Test
	void theFateOfAVersionFurtherBackIsUnknown() {
		Mono<?> write = run(write(Condition.ABSENT));
		StepVerifier.create(write).then(() -> {
			outbid();
			settle(above(Timestamp.ofMillis(NOW + 3)));
		})
			.expectErrorSatisfies((failure) -> assertThat(fate(failure))
				.isEqualTo(new Fate("unknown", this.a.proposals().getFirst().version())))
			.verify();
	}

	@Test
	void theFateOfAVersionBelowAPlainWriteIsUnknown() {
		StepVerifier.create(run(write(Condition.ABSENT))).then(() -> {
			outbid();
			settle(above((Lineage) null));
		})
			.expectErrorSatisfies((failure) -> assertThat(fate(failure))
				.isEqualTo(new Fate("unknown", this.a.proposals().getFirst().version())))
			.verify();
	}

	@Test
	void aVersionThatNobodyHasProposedIsTakenAnew() {
		StepVerifier.create(run(write(Condition.NONE))).then(() -> {
			this.c.answer(new PrepareReply.Superseded(OUTBID_BY));
			this.b.answer(new PrepareReply.Superseded(OUTBID_BY));
			nextRound();
			settle(above((Lineage) null));
			nextRound();
			assertThat(proposal().version()).isEqualTo(proposal().ballot());
			promise(promised(this.a.applied().getLast()));
			accept();
		}).assertNext((settled) -> assertThat(settled.version()).isEqualTo(proposal().ballot())).verifyComplete();
	}

	@Test
	void anExpiredBaseIsSettledAsADeletionWithItsVersion() {
		StepVerifier.create(run(write(match(10)))).then(() -> {
			promise(promised(EXPIRED));
			assertThat(accepted())
				.isEqualTo(new Entry.Tombstone(proposal().ballot(), 3, new Lineage(EXPIRED.version(), null)));
			this.outcome.requireNone();
			accept();
		}).expectErrorSatisfies((failure) -> requireUnmet(failure, null, EXPIRED.version())).verify();
		assertThat(this.a.reads()).as("its value is of no use").isZero();
	}

	@Test
	void aConditionThatFailsOnAnExpiredValueSettlesThatFirst() {
		StepVerifier.create(run(write(match(10)))).then(() -> {
			this.a.answer(unmet(EXPIRED));
			this.b.answer(unmet(EXPIRED));
			this.outcome.requireNone();
			nextRound();
			assertThat(proposal().condition()).isEqualTo(Condition.NONE);
			promise(promised(EXPIRED));
			assertThat(accepted())
				.isEqualTo(new Entry.Tombstone(proposal().ballot(), 3, new Lineage(EXPIRED.version(), null)));
			this.a.answer(APPLIED);
			this.outcome.requireNone();
			this.b.answer(APPLIED);
		}).expectErrorSatisfies((failure) -> requireUnmet(failure, null, EXPIRED.version())).verify();
	}

	@Test
	void anExpiredBaseIsReplacedByWhatWantsNoValue() {
		StepVerifier.create(run(write(Condition.ABSENT))).then(() -> {
			promise(promised(EXPIRED));
			assertThat(accepted().parent()).isEqualTo(EXPIRED.version());
			accept();
		}).expectNextCount(1).verifyComplete();
	}

	@Test
	void aReadSettlesThatThereIsNothing() {
		StepVerifier.create(run(read())).then(() -> {
			promise(NOTHING_HELD);
			assertThat(accepted())
				.isEqualTo(new Entry.Tombstone(proposal().ballot(), 3, new Lineage(Timestamp.ZERO, null)));
			accept();
		}).assertNext((settled) -> assertThat(settled.version()).isEqualTo(Timestamp.ZERO)).verifyComplete();
	}

	@Test
	void aValueIsFetchedFromAnotherHolderWhereOneHasLostIt() {
		StepVerifier.create(run(read())).then(() -> {
			promise(promised(OLD));
			this.a.answer(found(live(20, 3)));
			assertThat(this.a.applied()).isEmpty();
			this.b.answer(found(OLD));
			accept();
		}).assertNext((settled) -> assertThat(settled.version()).isEqualTo(OLD.version())).verifyComplete();
	}

	@Test
	void promisesAreReleasedWhereNoHolderHasTheValueAnyMore() {
		StepVerifier.create(run(read())).then(() -> {
			promise(promised(OLD));
			this.a.answer(found(live(20, 3)));
			assertThat(this.a.released()).isEmpty();
			this.b.answer(found(live(20, 3)));
			assertThat(this.a.released()).hasSize(1);
			assertThat(this.b.released()).hasSize(1);
			this.c.answer(promised(OLD));
			assertThat(this.c.released()).as("a late one").hasSize(1);
			nextRound();
			settle(live(20, 3));
		}).assertNext((settled) -> assertThat(settled.version()).isEqualTo(Timestamp.ofMillis(20))).verifyComplete();
	}

	@Test
	void replicasThatDifferAreSettledWithoutACondition() {
		StepVerifier.create(run(write(match(10)))).then(() -> {
			this.a.answer(promised(OLD));
			this.b.answer(unmet(null));
			this.c.answer(unmet(live(20, 3)));
			assertThat(this.a.released()).hasSize(1);
			nextRound();
			assertThat(proposal().condition()).isEqualTo(Condition.NONE);
			promise(promised(OLD));
			accept();
		}).expectNextCount(1).verifyComplete();
	}

	@Test
	void promisesThatLedToNothingAreReleasedAlsoLateOnes() {
		StepVerifier.create(run(write(match(5)))).then(() -> {
			this.a.answer(NOTHING_HELD);
			this.b.answer(unmet(OLD));
			this.outcome.requireNone();
			this.c.answer(unmet(OLD));
		}).expectErrorSatisfies((failure) -> requireUnmet(failure, OLD.version(), null)).verify();
		assertThat(this.a.released()).extracting(ScriptedReplica.Release::ballot).containsExactly(proposal().ballot());
		assertThat(this.b.released()).isEmpty();
		assertThat(this.c.released()).isEmpty();
		StepVerifier.create(run(write(match(5)))).then(() -> {
			this.b.answer(unmet(OLD));
			this.c.answer(unmet(OLD));
		}).verifyError(ConditionFailedException.class);
		assertThat(this.a.released()).hasSize(1);
		this.a.answer(NOTHING_HELD);
		assertThat(this.a.released()).hasSize(2)
			.last()
			.extracting(ScriptedReplica.Release::ballot)
			.isEqualTo(proposal().ballot());
	}

	@Test
	void promisesOfARequestThatHasEndedAreReleasedInTime() {
		StepVerifier.create(run(write(Condition.NONE))).then(() -> {
			this.b.answer(NOTHING_HELD);
			this.time.pass(LIMIT);
		}).expectErrorSatisfies((failure) -> assertThat(fate(failure)).isEqualTo(Fate.NOT_WRITTEN)).verify();
		assertThat(this.b.released()).singleElement()
			.satisfies((release) -> assertThat(release.deadline().nanos()).isGreaterThan(this.time.sweep.nanoTime()));
		assertThat(this.coordinator.pending()).isZero();
	}

	@Test
	void aHintIsKeptOnceTheEntryIsChosen() {
		StepVerifier.create(run(write(Condition.NONE))).then(() -> {
			promise(NOTHING_HELD);
			this.c.answer(failed(Reason.OVERLOADED));
			this.a.answer(APPLIED);
			assertThat(this.missed).isEmpty();
			this.b.answer(APPLIED);
			assertThat(this.missed).containsExactly("c " + NOW);
		}).expectNextCount(1).verifyComplete();
	}

	@Test
	void noHintIsKeptOfAnEntryThatIsNotChosen() {
		StepVerifier.create(run(write(Condition.NONE))).then(() -> {
			promise(NOTHING_HELD);
			this.a.answer(APPLIED);
			this.b.answer(failed(Reason.FAILED));
			this.c.answer(failed(Reason.FAILED));
		})
			.expectErrorSatisfies(
					(failure) -> assertThat(fate(failure)).isEqualTo(new Fate("unknown", proposal().version())))
			.verify();
		assertThat(this.missed).isEmpty();
	}

	@Test
	void aWriteThatWasNeverProposedIsNotWritten() {
		StepVerifier.create(run(write(Condition.NONE))).then(() -> {
			this.a.answer(unprepared(Reason.FAILED));
			this.b.answer(unprepared(Reason.TIMEOUT));
		}).expectErrorSatisfies((failure) -> assertThat(fate(failure)).isEqualTo(Fate.NOT_WRITTEN)).verify();
	}

	@Test
	void aWriteThatAMajorityHoldsIsWrittenWithFewerAcks() {
		StepVerifier.create(run(write(Condition.NONE, 3))).then(() -> {
			promise(NOTHING_HELD);
			accept();
			this.outcome.requireNone();
			this.c.answer(failed(Reason.OVERLOADED));
		})
			.expectErrorSatisfies(
					(failure) -> assertThat(fate(failure)).isEqualTo(new Fate("written", proposal().version())))
			.verify();
		assertThat(this.missed).containsExactly("c " + NOW);
	}

	@Test
	void aWriteThatAMajorityHoldsIsWrittenAtItsDeadline() {
		StepVerifier.create(run(write(Condition.NONE, 3))).then(() -> {
			promise(NOTHING_HELD);
			accept();
			this.time.pass(LIMIT);
		})
			.expectErrorSatisfies(
					(failure) -> assertThat(fate(failure)).isEqualTo(new Fate("written", proposal().version())))
			.verify();
		this.c.answer(failed(Reason.TIMEOUT));
		assertThat(this.missed).as("it is chosen").containsExactly("c " + NOW);
	}

	@Test
	void aVersionThatIsFoundAgainNeedsTheAcksOfItsRequest() {
		StepVerifier.create(run(write(Condition.ABSENT, 3))).then(() -> {
			outbid();
			settleOwn(this.a.applied().getFirst());
			this.outcome.requireNone();
			this.c.answer(APPLIED);
		}).expectNextCount(1).verifyComplete();
		StepVerifier.create(run(write(Condition.ABSENT, 3))).then(() -> {
			promise(NOTHING_HELD);
			Entry own = accepted();
			this.a.answer(APPLIED);
			this.b.answer(new WriteReply.Promised(OUTBID_BY));
			this.c.answer(new WriteReply.Promised(OUTBID_BY));
			nextRound();
			settleOwn(own);
			this.c.answer(failed(Reason.OVERLOADED));
		})
			.expectErrorSatisfies(
					(failure) -> assertThat(fate(failure)).isEqualTo(new Fate("written", proposal().version())))
			.verify();
	}

	private RegisterTerms without(Operation operation, Admission.Permit permit) {
		return new RegisterTerms(operation, KEY, Condition.NONE,
				(operation == Operation.DELETE) ? Entry.Tombstone::new : null, requestContext(2, 3, permit));
	}

	private Admission.Permit small() {
		return new Admission(1, VALUE.size() - 1, this.meters).admit(0);
	}

	@Test
	void theValueThatAReadFetchesCountsInItsPermit() {
		StepVerifier.create(run(read())).then(() -> {
			promise(promised(above((Lineage) null)));
			assertThat(this.admission.bytes()).isEqualTo(VALUE.size());
			this.a.answer(found(above((Lineage) null)));
			accept();
		}).expectNextCount(1).verifyComplete();
		StepVerifier.create(run(without(Operation.GET, small())))
			.then(() -> promise(promised(above((Lineage) null))))
			.expectErrorSatisfies((failure) -> assertThat(failure).isInstanceOfSatisfying(RefusedException.class,
					(refused) -> assertThat(refused.why()).isEqualTo(Why.BYTES)))
			.verify();
		assertThat(this.a.reads()).as("that of the first").isOne();
		assertThat(this.a.released()).as("it proposes nothing").hasSize(1);
	}

	@Test
	void theValueThatAWriteSettlesCountsBesideItsOwn() {
		Entry other = new Entry.Live(Timestamp.ofMillis(10), 3, Entry.NEVER, Value.wrap(new byte[50]));
		StepVerifier.create(run(write(match(5)))).then(() -> {
			promise(promised(other));
			assertThat(this.admission.bytes()).isEqualTo(VALUE.size() + 50);
			this.a.answer(found(other));
			accept();
		}).verifyError(ConditionFailedException.class);
		this.c.answer(APPLIED);
		assertThat(this.admission.bytes()).isZero();
		Admission full = new Admission(1, VALUE.size() + 49, this.meters);
		StepVerifier.create(run(write(match(5), requestContext(2, 3, full.admit(VALUE.size())))))
			.then(() -> promise(promised(other)))
			.expectErrorSatisfies((failure) -> assertThat(failure).isInstanceOfSatisfying(RefusedException.class,
					(refused) -> assertThat(refused.why()).isEqualTo(Why.BYTES)))
			.verify();
		assertThat(this.a.reads()).as("that of the first").isOne();
		assertThat(this.a.released()).as("it proposes nothing").hasSize(1);
		assertThat(full.requests()).isZero();
	}

	@Test
	void aDeletionThatHasNoRoomForAValueMayHaveHappened() {
		StepVerifier.create(run(without(Operation.DELETE, small()))).then(() -> {
			outbid();
			promise(promised(above((Lineage) null)));
		})
			.expectErrorSatisfies(
					(failure) -> assertThat(fate(failure)).isEqualTo(new Fate("unknown", proposal().version())))
			.verify();
		assertThat(this.a.reads()).isZero();
	}

	@Test
	void aWriteThatOthersOutbidUntilTheDeadlineHasNotHappened() {
		StepVerifier.create(run(write(Condition.NONE))).then(() -> {
			promise(new PrepareReply.Busy(100));
			nextRound();
			promise(new PrepareReply.Superseded(OUTBID_BY));
			this.time.pass(LIMIT);
		})
			.expectErrorSatisfies((failure) -> assertThat(failure).isInstanceOfSatisfying(ContendedException.class,
					(ended) -> assertThat(ended.rounds()).isEqualTo(2)))
			.verify();
		assertThat(this.coordinator.pending()).isZero();
	}

	/* Each may call the next: the stack must not grow with their number. */
	@Test
	void aWriteEndsHoweverManyRoundsOthersHaveOutbid() {
		int rounds = 5000;
		for (ScriptedReplica replica : List.of(this.a, this.b, this.c)) {
			replica.preparingAtOnce(new PrepareReply.Superseded(OUTBID_BY));
			replica.answeringAtOnce(APPLIED);
		}
		StepVerifier.create(run(write(Condition.NONE, Deadline.after(Duration.ofDays(1))))).then(() -> {
			while (this.a.proposals().size() < rounds) {
				nextRound();
			}
			this.outcome.requireNone();
			this.a.preparingAtOnce(NOTHING_HELD);
			this.b.preparingAtOnce(NOTHING_HELD);
			nextRound();
		}).assertNext((settled) -> assertThat(settled.version()).isEqualTo(proposal().version())).verifyComplete();
		assertThat(this.coordinator.pending()).isZero();
	}

	@Test
	void aWriteThatOthersOutbidOnceItIsProposedMayHaveHappened() {
		StepVerifier.create(run(write(Condition.NONE))).then(() -> {
			outbid();
			this.time.pass(LIMIT);
		})
			.expectErrorSatisfies(
					(failure) -> assertThat(fate(failure)).isEqualTo(new Fate("unknown", proposal().version())))
			.verify();
	}

	@Test
	void aWriteThatWasSentGoesOnUnderItsVersion() {
		Entry sent = new Entry.Live(Timestamp.ofMillis(NOW - 7), 3, Entry.NEVER, VALUE);
		RegisterTerms terms = write(Condition.NONE);
		Outstanding outstanding = new Outstanding(terms.requestContext().permit()::close);
		StepVerifier
			.create(RegisterRequest.after(services(), terms, new LayoutMismatchException.Sent(sent, false),
					outstanding))
			.then(() -> {
				assertThat(proposal().version()).isEqualTo(sent.version());
				promise(promised(OLD));
				assertThat(accepted().version()).isEqualTo(sent.version());
				accept();
			})
			.assertNext((settled) -> assertThat(settled.version()).isEqualTo(sent.version()))
			.verifyComplete();
		this.c.answer(APPLIED);
		assertThat(this.admission.requests()).as("the plain write holds it").isOne();
		outstanding.oneLess();
		assertThat(this.admission.requests()).isZero();
	}

	@Test
	void theBytesOfAWriteCountUntilTheLastReplicaHasReplied() {
		StepVerifier.create(run(write(Condition.NONE))).then(() -> {
			promise(NOTHING_HELD);
			accept();
		}).expectNextCount(1).verifyComplete();
		assertThat(this.admission.bytes()).isEqualTo(3);
		this.c.answer(APPLIED);
		assertThat(this.admission.bytes()).isZero();
		assertThat(this.admission.requests()).isZero();
	}

	@Test
	void theVersionsOfAConditionMoveTheClock() {
		Condition later = new Condition(Condition.Versions.of(List.of(Timestamp.ofMillis(NOW + 500))), null);
		StepVerifier.create(run(write(later)))
			.then(() -> assertThat(proposal().ballot()).isGreaterThan(Timestamp.ofMillis(NOW + 500)))
			.thenCancel()
			.verify();
	}

}
