package io.quorate.coordinator;

import java.time.Duration;

import io.quorate.clock.Timestamp;
import io.quorate.coordinator.QuorumNotReachedException.Said;
import io.quorate.entry.Entry;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.ReadReply;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;

/** Reads of values so large that only the best replica sends them. */
class QuorumReadDigestTests extends UnhedgedFixture {

	private static final int WHOLE = Integer.MAX_VALUE;

	private static final Entry OLD = large(10);

	private static final Entry NEW = large(20);

	private static final Entry NEWER = large(30);

	@Test
	void oneSendsTheValueAndTheOthersWhatIdentifiesIt() {
		StepVerifier.create(read(2, 3))
			.then(() -> this.b.answer(digest(NEW)))
			.then(this.outcome::requireNone)
			.then(() -> this.a.answer(found(NEW)))
			.expectNext(new ReadOutcome.Found((Entry.Live) NEW))
			.verifyComplete();
		assertThat(this.a.wanted()).containsExactly(WHOLE);
		assertThat(this.b.wanted()).containsExactly(DIGEST_ABOVE);
		assertThat(this.c.reads()).isZero();
		assertThat(fetched()).isZero();
		assertThat(this.coordinator.pending()).isZero();
	}

	@Test
	void aStaleReplicaWithALargeValueIsSentTheWholeNewOne() {
		StepVerifier.create(read(2, 3))
			.then(() -> this.a.answer(found(NEW)))
			.then(() -> this.b.answer(digest(OLD)))
			.then(() -> assertThat(this.b.applied()).containsExactly(NEW))
			.then(this.outcome::requireNone)
			.then(() -> this.b.answer(APPLIED))
			.expectNext(new ReadOutcome.Found((Entry.Live) NEW))
			.verifyComplete();
		assertThat(this.b.reads()).isOne();
	}

	@Test
	void aNewerValueThatWasLeftOutIsAskedForAndRepairsTheStaleOne() {
		StepVerifier.create(read(2, 3))
			.then(() -> this.a.answer(found(OLD)))
			.then(() -> this.b.answer(digest(NEW)))
			.then(() -> assertThat(this.b.wanted()).containsExactly(DIGEST_ABOVE, WHOLE))
			.then(() -> assertThat(this.a.applied()).isEmpty())
			.then(() -> this.b.answer(found(NEW)))
			.then(() -> assertThat(this.a.applied()).containsExactly(NEW))
			.then(() -> this.a.answer(APPLIED))
			.expectNext(new ReadOutcome.Found((Entry.Live) NEW))
			.verifyComplete();
		assertThat(this.c.reads()).isZero();
		assertThat(fetched()).isOne();
	}

	@Test
	void aValueThatTheBestDoesNotHoldAtAllIsAskedFor() {
		StepVerifier.create(read(2, 3))
			.then(() -> this.b.answer(digest(NEW)))
			.then(() -> this.a.answer(ABSENT))
			.then(() -> this.b.answer(found(NEW)))
			.then(() -> this.a.answer(APPLIED))
			.expectNext(new ReadOutcome.Found((Entry.Live) NEW))
			.verifyComplete();
		assertThat(this.a.applied()).containsExactly(NEW);
	}

	@Test
	void anEntryThatIsNewerStillWhenFetchedIsAnswered() {
		StepVerifier.create(read(2, 2))
			.then(() -> this.a.answer(found(OLD)))
			.then(() -> this.b.answer(digest(NEW)))
			.then(() -> this.b.answer(found(NEWER)))
			.then(() -> this.a.answer(APPLIED))
			.expectNext(new ReadOutcome.Found((Entry.Live) NEWER))
			.verifyComplete();
		assertThat(this.a.applied()).containsExactly(NEWER);
	}

	@Test
	void anEntryThatIsDeletedBeforeItIsFetchedIsMissing() {
		Entry deletion = new Entry.Tombstone(Timestamp.ofMillis(25), 3);
		StepVerifier.create(read(2, 2))
			.then(() -> this.a.answer(found(OLD)))
			.then(() -> this.b.answer(digest(NEW)))
			.then(() -> this.b.answer(found(deletion)))
			.then(() -> this.a.answer(APPLIED))
			.expectNext(new ReadOutcome.Missing())
			.verifyComplete();
		assertThat(this.a.applied()).containsExactly(deletion);
	}

	@Test
	void deletionComesWholeAndTheDigestOfWhatItHasDeletedIsStale() {
		Entry deletion = new Entry.Tombstone(Timestamp.ofMillis(25), 3);
		StepVerifier.create(read(2, 3))
			.then(() -> this.a.answer(found(deletion)))
			.then(() -> this.b.answer(digest(NEW)))
			.then(() -> this.b.answer(APPLIED))
			.expectNext(new ReadOutcome.Missing())
			.verifyComplete();
		assertThat(this.b.applied()).containsExactly(deletion);
		assertThat(this.c.applied()).as("what it holds is unknown").containsExactly(deletion);
	}

	@Test
	void expiredValueThatWasLeftOutIsMissingAndHeld() {
		Entry expired = new Entry.Live(Timestamp.ofMillis(20), 3, 21, Value.wrap(new byte[5000]));
		StepVerifier.create(read(2, 3))
			.then(() -> this.a.answer(found(expired)))
			.then(() -> this.b.answer(digest(expired)))
			.expectNext(new ReadOutcome.Missing())
			.verifyComplete();
		assertThat(this.b.applied()).isEmpty();
	}

	@Test
	void anotherOneBringsTheValueWhenTheBestFailsAfterTheDigestCame() {
		StepVerifier.create(read(2, 3))
			.then(() -> this.b.answer(digest(NEW)))
			.then(() -> this.a.answer(unreadable(Reason.CORRUPT)))
			.then(() -> assertThat(this.c.wanted()).containsExactly(WHOLE))
			.then(() -> assertThat(this.b.reads()).isOne())
			.then(() -> this.c.answer(found(NEW)))
			.expectNext(new ReadOutcome.Found((Entry.Live) NEW))
			.verifyComplete();
		assertThat(fetched()).isZero();
	}

	@Test
	void valueIsAskedForWhenTheOneInThePlaceOfTheBestLacksIt() {
		StepVerifier.create(read(2, 3))
			.then(() -> this.b.answer(digest(NEW)))
			.then(() -> this.a.answer(unreadable(Reason.CORRUPT)))
			.then(() -> this.c.answer(found(OLD)))
			.then(() -> assertThat(this.b.wanted()).containsExactly(DIGEST_ABOVE, WHOLE))
			.then(() -> this.b.answer(found(NEW)))
			.then(() -> this.c.answer(APPLIED))
			.expectNext(new ReadOutcome.Found((Entry.Live) NEW))
			.verifyComplete();
	}

	@Test
	void silenceOfTheBestIsHedged() {
		for (int i = 0; i < Hedging.READS_PER_HEDGE; i++) {
			this.coordinator.readServices().hedging().earn();
		}
		StepVerifier.create(read(2, 3))
			.then(() -> this.b.answer(digest(NEW)))
			.then(() -> this.time.pass(HEDGE_DELAY))
			.then(() -> assertThat(this.c.reads()).isOne())
			.then(() -> assertThat(this.c.wanted()).containsExactly(WHOLE))
			.then(() -> this.c.answer(found(NEW)))
			.expectNext(new ReadOutcome.Found((Entry.Live) NEW))
			.verifyComplete();
		assertThat(this.a.cancelled()).isOne();
	}

	@Test
	void bestThatBecomesSuspectIsReplaced() {
		StepVerifier.create(read(2, 3))
			.then(() -> this.b.answer(digest(NEW)))
			.then(() -> this.suspects.suspect("a"))
			.then(() -> assertThat(this.c.reads()).isOne())
			.then(() -> this.c.answer(ABSENT))
			.then(() -> this.b.answer(found(NEW)))
			.then(() -> this.c.answer(APPLIED))
			.expectNext(new ReadOutcome.Found((Entry.Live) NEW))
			.verifyComplete();
		assertThat(this.b.reads()).isEqualTo(2);
	}

	@Test
	void valueThatCannotBeHadIsNotWaitedForWhenOthersAnswer() {
		StepVerifier.create(read(2, 3))
			.then(() -> this.a.answer(found(OLD)))
			.then(() -> this.b.answer(digest(NEW)))
			.then(() -> this.b.answer(unreadable(Reason.CORRUPT)))
			.then(() -> this.c.answer(found(OLD)))
			.expectNext(new ReadOutcome.Found((Entry.Live) OLD))
			.verifyComplete();
	}

	@Test
	void aReplicaThatFallsSilentBeforeItsValueIsReplaced() {
		StepVerifier.create(read(2, 3))
			.then(() -> this.a.answer(found(OLD)))
			.then(() -> this.b.answer(digest(NEW)))
			.then(() -> this.suspects.suspect("b"))
			.then(() -> assertThat(this.c.reads()).isOne())
			.then(() -> this.c.answer(found(NEW)))
			.expectNext(new ReadOutcome.Found((Entry.Live) NEW))
			.verifyComplete();
		assertThat(this.a.applied()).as("late, for b and c hold it").containsExactly(NEW);
		assertThat(this.b.cancelled()).isOne();
	}

	@Test
	void aValueThatComesAfterItsRepairDoesNotUndoIt() {
		StepVerifier.create(read(2, 3))
			.then(() -> this.a.answer(found(OLD)))
			.then(() -> this.b.answer(digest(NEW)))
			.then(() -> this.suspects.suspect("b"))
			.then(() -> assertThat(this.c.reads()).isOne())
			.then(() -> this.c.answer(found(NEWER)))
			.then(() -> assertThat(this.b.applied()).containsExactly(NEWER))
			.then(() -> this.b.answer(found(NEW)))
			.then(() -> assertThat(this.b.applied()).containsExactly(NEWER))
			.then(() -> this.b.answer(APPLIED))
			.expectNext(new ReadOutcome.Found((Entry.Live) NEWER))
			.verifyComplete();
	}

	@Test
	void aValueThatNobodyBringsIsNeverReplacedByAnOlderOne() {
		StepVerifier.create(read(2, 2, Duration.ofMillis(300)))
			.then(() -> this.a.answer(found(OLD)))
			.then(() -> this.b.answer(digest(NEW)))
			.then(() -> this.time.pass(Duration.ofMillis(300)))
			.expectErrorSatisfies((error) -> assertThat(((QuorumNotReachedException) error).replicas())
				.containsExactly(new Said("a", "ack"), new Said("b", "silent")))
			.verify();
		assertThat(this.b.reads()).isEqualTo(2);
	}

	@Test
	void theNewerOfTwoDigestsIsFetchedAndTheOlderRepaired() {
		StepVerifier.create(read(3, 3))
			.then(() -> this.b.answer(digest(NEW)))
			.then(() -> this.c.answer(digest(NEWER)))
			.then(() -> this.a.answer(found(OLD)))
			.then(() -> assertThat(this.b.reads()).isOne())
			.then(() -> this.c.answer(found(NEWER)))
			.then(() -> assertThat(this.b.applied()).containsExactly(NEWER))
			.then(() -> this.a.answer(APPLIED))
			.then(() -> this.b.answer(APPLIED))
			.expectNext(new ReadOutcome.Found((Entry.Live) NEWER))
			.verifyComplete();
		assertThat(this.a.applied()).containsExactly(NEWER);
	}

	@Test
	void readFailsWhenTheValueCannotBeHadAndAllMustAnswer() {
		StepVerifier.create(read(3, 3))
			.then(() -> this.b.answer(digest(NEW)))
			.then(() -> this.c.answer(digest(OLD)))
			.then(() -> this.a.answer(found(OLD)))
			.then(() -> this.b.answer(unreadable(Reason.FAILED)))
			.expectErrorSatisfies((error) -> assertThat(((QuorumNotReachedException) error).replicas())
				.containsExactly(new Said("a", "ack"), new Said("b", "failed"), new Said("c", "ack")))
			.verify();
	}

	@Test
	void digestFromTheFarFutureCountsAsNoAnswer() {
		StepVerifier.create(read(2, 3))
			.then(() -> this.a.answer(found(NEW)))
			.then(() -> this.b.answer(digest(large(NOW + MAX_SKEW.toMillis() + 1))))
			.then(() -> this.c.answer(found(NEW)))
			.expectNextCount(1)
			.verifyComplete();
		assertThat(this.b.reads()).isOne();
		assertThat(this.clock.currentMillis()).isEqualTo(NOW);
	}

	@Test
	void onlyValuesThatHaveComeAreCounted() {
		Admission.Permit permit = this.admission.admit(0);
		StepVerifier.create(Mono.defer(() -> this.coordinator.read(KEY, requestContext(2, 2, permit))))
			.then(() -> this.b.answer(digest(NEW)))
			.then(() -> assertThat(this.admission.bytes()).isZero())
			.then(() -> this.a.answer(found(OLD)))
			.then(() -> assertThat(this.admission.bytes()).isEqualTo(5000))
			.then(() -> this.b.answer(found(NEW)))
			.then(() -> assertThat(this.admission.bytes()).isEqualTo(10_000))
			.then(() -> this.a.answer(APPLIED))
			.expectNextCount(1)
			.verifyComplete();
		assertThat(this.admission.bytes()).isEqualTo(5000);
		permit.close();
		assertThat(this.admission.bytes()).isZero();
	}

	@Test
	void abandonedReadStopsAskingForTheValue() {
		StepVerifier.create(read(2, 3))
			.then(() -> this.a.answer(found(OLD)))
			.then(() -> this.b.answer(digest(NEW)))
			.then(() -> assertThat(this.b.reads()).isEqualTo(2))
			.thenCancel()
			.verify();
		assertThat(this.b.cancelled()).isOne();
		assertThat(this.coordinator.pending()).isZero();
	}

	private double fetched() {
		return this.meters.get("quorate.reads.fetched").counter().count();
	}

	private static ReadReply digest(Entry entry) {
		return new ReadReply.Summarized(Summary.of(entry));
	}

	private static Entry large(long millis) {
		byte[] bytes = new byte[5000];
		bytes[0] = (byte) millis;
		return new Entry.Live(Timestamp.ofMillis(millis), 3, Entry.NEVER, Value.wrap(bytes));
	}

}
