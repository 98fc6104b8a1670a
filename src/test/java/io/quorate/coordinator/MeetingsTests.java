package io.quorate.coordinator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.Deadline;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.CoordinatorMetrics.Operation;
import io.quorate.coordinator.QuorumNotReachedException.Fate;
import io.quorate.coordinator.QuorumNotReachedException.Said;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.entry.Condition;
import io.quorate.entry.Entry;
import io.quorate.entry.Value;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.Handover;
import io.quorate.replica.HandoverReply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;

/** Writes of registers that go on from their coordinator to the node where they meet. */
class MeetingsTests extends RegisterFixture {

	private static final Timestamp VERSION = Timestamp.ofMillis(77);

	/** At node c, whose writes of the key meet at a. */
	private final QuorumCoordinator atC = new QuorumCoordinator(this.clock, new ClusterView("c",
			this.clusterView.lists(), this.suspects, this.judge, this.trueTime, this.clusterView.missed()),
			DIGEST_ABOVE, new SimpleMeterRegistry(), this.time.sweep);

	@AfterEach
	void closeC() {
		this.atC.close();
	}

	private Mono<Written> putAtC(int bytes) {
		return this.atC.putIf(KEY, match(10), new Content(Value.wrap(new byte[bytes]), null, Duration.ofSeconds(5)),
				requestContext(2, 3, this.admission.admit(0)));
	}

	private Mono<Written> putAtC() {
		return putAtC(3);
	}

	private void requireRounds(int count) {
		assertThat(this.a.proposals()).hasSize(count);
		assertThat(this.b.proposals()).hasSize(count);
		assertThat(this.c.proposals()).hasSize(count);
	}

	private static HandoverReply unhanded(Reason reason) {
		return new HandoverReply.Failed(new Failure(reason, "as the test wants"));
	}

	@Test
	void aWriteGoesToTheFirstReplicaWithAllOfItsTerms() {
		StepVerifier.create(putAtC()).then(() -> {
			assertThat(this.a.handedOver()).singleElement()
				.isEqualTo(new Handover(match(10), 2, 5000,
						new Entry.Live(Timestamp.ZERO, Entry.ALL, Entry.NEVER, Value.wrap(new byte[3]))));
			assertThat(this.admission.requests()).isOne();
			this.a.answer(new HandoverReply.Written(VERSION));
		}).assertNext((written) -> assertThat(written.timestamp()).isEqualTo(VERSION)).verifyComplete();
		requireRounds(0);
		assertThat(this.admission.requests()).isZero();
	}

	@Test
	void aDeletionGoesToTheFirstReplica() {
		StepVerifier.create(this.atC.deleteIf(KEY, match(10), requestContext(3, 3, this.admission.admit(0))))
			.then(() -> assertThat(this.a.handedOver()).singleElement()
				.isEqualTo(new Handover(match(10), 3, 0, new Entry.Tombstone(Timestamp.ZERO, Entry.ALL))))
			.then(() -> this.a.answer(new HandoverReply.Written(VERSION)))
			.expectNextCount(1)
			.verifyComplete();
	}

	@Test
	void theFirstReplicaRunsItsOwnWrites() {
		StepVerifier
			.create(this.coordinator.putIf(KEY, Condition.NONE, new Content(VALUE, null, null),
					requestContext(2, 3, this.admission.admit(3))))
			.then(() -> {
				requireRounds(1);
				this.a.answer(NOTHING_HELD);
				this.b.answer(NOTHING_HELD);
				this.a.answer(APPLIED);
				this.b.answer(APPLIED);
			})
			.assertNext((written) -> assertThat(written.timestamp()).isEqualTo(proposal().version()))
			.verifyComplete();
		assertThat(this.a.handedOver()).isEmpty();
	}

	@Test
	void aSuspectIsPassedOver() {
		this.suspects.suspect("a");
		StepVerifier.create(putAtC())
			.then(() -> this.b.answer(new HandoverReply.Written(VERSION)))
			.expectNextCount(1)
			.verifyComplete();
		assertThat(this.a.handedOver()).isEmpty();
	}

	@Test
	void aLargeValueStaysWhereItIs() {
		StepVerifier.create(putAtC(Meetings.MOST_BYTES))
			.then(() -> assertThat(this.a.handedOver()).hasSize(1))
			.thenCancel()
			.verify();
		requireRounds(0);
		StepVerifier.create(putAtC(Meetings.MOST_BYTES + 1)).then(() -> requireRounds(1)).thenCancel().verify();
		assertThat(this.a.handedOver()).hasSize(1);
	}

	@ParameterizedTest
	@EnumSource(Reason.class)
	void aWriteThatIsRefusedRunsHereAndOneWhoseFateIsUnknownDoesNot(Reason reason) {
		CompletableFuture<@Nullable Written> write = putAtC().toFuture();
		this.a.answer(unhanded(reason));
		if (reason == Reason.OVERLOADED) {
			requireRefused(write);
			requireRounds(0);
		}
		else if (reason.isRefusal()) {
			assertThat(write).isNotDone();
			requireRounds(1);
			assertThat(proposal().condition()).isEqualTo(match(10));
			this.a.answer(unmet(live(20, 3)));
			this.b.answer(unmet(live(20, 3)));
			assertThat(write).failsWithin(Duration.ZERO)
				.withThrowableThat()
				.withCauseInstanceOf(ConditionFailedException.class);
		}
		else {
			requireRounds(0);
			assertThat(write.handle((_, failure) -> failure)).isCompletedWithValueMatching(
					(failure) -> failure instanceof QuorumNotReachedException lost && lost.fate().equals(Fate.UNKNOWN)
							&& lost.replicas().equals(List.of(new Said("a", reason.word()))));
		}
		assertThat(this.admission.requests()).isZero();
	}

	private static void requireRefused(CompletableFuture<@Nullable Written> write) {
		assertThat(write.handle((_, failure) -> failure)).isCompletedWithValueMatching(
				(failure) -> failure instanceof RefusedException refused && refused.why() == Why.REPLICAS);
	}

	@Test
	void aBoundedNumberOfWritesIsHandedOverAtOnce() {
		List<CompletableFuture<@Nullable Written>> writes = new ArrayList<>();
		for (int i = 0; i < Meetings.MOST_HANDED_OVER; i++) {
			writes.add(putAtC().toFuture());
		}
		requireRefused(putAtC().toFuture());
		assertThat(writes).noneMatch(CompletableFuture::isDone);
		assertThat(this.a.handedOver()).hasSize(Meetings.MOST_HANDED_OVER);
		assertThat(this.admission.requests()).isEqualTo(Meetings.MOST_HANDED_OVER);
		this.a.answer(new HandoverReply.Written(VERSION));
		assertThat(writes.getLast()).isDone();
		assertThat(putAtC().toFuture()).isNotDone();
		assertThat(this.a.handedOver()).hasSize(Meetings.MOST_HANDED_OVER + 1);
		requireRounds(0);
	}

	private CompletableFuture<@Nullable Entry> readAtC() {
		return readAt(new Meetings(this.atC.readServices().shared()));
	}

	private CompletableFuture<@Nullable Entry> readAt(Meetings meetings) {
		return meetings
			.read(new RegisterTerms(Operation.GET, KEY, Condition.NONE, null,
					requestContext(2, 3, this.admission.admit(0))))
			.toFuture();
	}

	@Test
	void aReadBeyondThoseHandedOverRunsHere() {
		Meetings meetings = new Meetings(this.atC.readServices().shared());
		for (int i = 1; i < Meetings.MOST_HANDED_OVER; i++) {
			readAt(meetings).cancel(false);
		}
		CompletableFuture<@Nullable Entry> last = readAt(meetings);
		requireRounds(0);
		CompletableFuture<@Nullable Entry> beyond = readAt(meetings);
		assertThat(this.a.handedOver()).hasSize(Meetings.MOST_HANDED_OVER);
		requireRounds(1);
		this.a.answer(unhanded(Reason.OVERLOADED));
		assertThat(last).as("it runs here after the other").isNotDone();
		assertThat(readAt(meetings)).isNotDone();
		assertThat(this.a.handedOver()).as("its place is free").hasSize(Meetings.MOST_HANDED_OVER + 1);
		assertThat(beyond).isNotDone();
		requireRounds(1);
	}

	@ParameterizedTest
	@EnumSource(Reason.class)
	void aReadRunsHereAfterAnyFailure(Reason reason) {
		CompletableFuture<@Nullable Entry> read = readAtC();
		assertThat(this.a.handedOver()).containsExactly(Handover.read(2));
		requireRounds(0);
		this.a.answer(unhanded(reason));
		requireRounds(1);
		promise(live(20, 3));
		this.a.answer(found(live(20, 3)));
		this.a.answer(APPLIED);
		this.b.answer(APPLIED);
		assertThat(read)
			.isCompletedWithValueMatching((entry) -> entry != null && entry.version().equals(Timestamp.ofMillis(20)));
	}

	private CompletableFuture<@Nullable Touched> touchAtC(Condition condition) {
		return this.atC.touch(KEY, condition, Duration.ofSeconds(5), requestContext(2, 3, this.admission.admit(0)))
			.toFuture();
	}

	@Test
	void aTouchOfAVersionIsHandedOverAndMayBeRunAgain() {
		Condition version = match(20);
		CompletableFuture<@Nullable Touched> touched = touchAtC(version);
		assertThat(this.a.handedOver()).containsExactly(Handover.touch(version, 2, 5000));
		this.a.answer(new HandoverReply.Touched(VERSION, 77));
		assertThat(touched).isCompletedWithValue(new Touched(VERSION, 77));
		CompletableFuture<@Nullable Touched> again = touchAtC(version);
		this.a.answer(unhanded(Reason.TIMEOUT));
		requireRounds(1);
		promise(live(20, 3));
		this.a.answer(found(live(20, 3)));
		this.a.answer(APPLIED);
		this.b.answer(APPLIED);
		this.c.answer(APPLIED);
		assertThat(again).isCompletedWithValue(new Touched(Timestamp.ofMillis(20), Entry.NEVER));
		assertThat(this.admission.requests()).isZero();
	}

	/* It would renew what has come since, if it is under way there. */
	@Test
	void aTouchOfAnyVersionIsNotRunAgain() {
		CompletableFuture<@Nullable Touched> touched = touchAtC(new Condition(Condition.Versions.ANY, null));
		this.a.answer(unhanded(Reason.TIMEOUT));
		requireRounds(0);
		assertThat(touched).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withCauseInstanceOf(QuorumNotReachedException.class);
		assertThat(this.admission.requests()).isZero();
	}

	@Test
	void aTouchThatIsHandedToThisNodeSaysTheExpiry() {
		CompletableFuture<@Nullable HandoverReply> touched = this.coordinator
			.handedOver(KEY, Handover.touch(Condition.NONE, 2, 5000), new Deadline(Long.MAX_VALUE), this.admission)
			.toFuture();
		Entry held = new Entry.Live(Timestamp.ofMillis(20), 3, NOW + 1, VALUE);
		promise(held);
		this.a.answer(found(held));
		this.a.answer(APPLIED);
		this.b.answer(APPLIED);
		this.c.answer(APPLIED);
		assertThat(touched).isCompletedWithValue(new HandoverReply.Touched(Timestamp.ofMillis(20), NOW + 5000));
		assertThat(this.admission.requests()).isZero();
	}

	@Test
	void aReadThatFindsNoTurnThereIsNotContended() {
		CompletableFuture<@Nullable Entry> read = readAtC();
		this.a.answer(new HandoverReply.Contended(7));
		assertThat(read).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withCauseInstanceOf(QuorumNotReachedException.class);
	}

	@Test
	void theOutcomeOfTheFirstReplicaIsTheCoordinators() {
		StepVerifier.create(putAtC())
			.then(() -> this.a.answer(new HandoverReply.Unmet(null, VERSION, false)))
			.expectErrorSatisfies((failure) -> assertThat(failure).isInstanceOfSatisfying(
					ConditionFailedException.class, (unmet) -> assertThat(unmet.absent()).isEqualTo(VERSION)))
			.verify();
		StepVerifier.create(putAtC())
			.then(() -> this.a.answer(new HandoverReply.Contended(7)))
			.expectErrorSatisfies((failure) -> assertThat(failure).isInstanceOfSatisfying(ContendedException.class,
					(contended) -> assertThat(contended.rounds()).isEqualTo(7)))
			.verify();
		StepVerifier.create(putAtC())
			.then(() -> this.a.answer(new HandoverReply.Undecided("written", VERSION, 3, 2,
					List.of(new HandoverReply.Said("c", "silent")))))
			.expectErrorSatisfies((failure) -> assertThat(failure)
				.isInstanceOfSatisfying(QuorumNotReachedException.class, (undecided) -> {
					assertThat(undecided.fate()).isEqualTo(new Fate("written", VERSION));
					assertThat(undecided.required()).isEqualTo(3);
					assertThat(undecided.acknowledged()).isEqualTo(2);
					assertThat(undecided.replicas()).containsExactly(new Said("c", "silent"));
				}))
			.verify();
		requireRounds(0);
		assertThat(this.admission.requests()).isZero();
	}

	private CompletableFuture<@Nullable HandoverReply> handOver(Condition condition, int ack, Deadline deadline) {
		return this.coordinator
			.handedOver(KEY, new Handover(condition, ack, 5000, new Entry.Live(Timestamp.ZERO, 0, Entry.NEVER, VALUE)),
					deadline, this.admission)
			.toFuture();
	}

	private CompletableFuture<@Nullable HandoverReply> handOver(Condition condition, int ack) {
		return handOver(condition, ack, Deadline.after(LIMIT));
	}

	@Test
	void aWriteThatWasHandedOverIsRunWithItsTerms() {
		CompletableFuture<@Nullable HandoverReply> write = handOver(Condition.ABSENT, 3);
		assertThat(proposal().condition()).isEqualTo(Condition.ABSENT);
		promise(NOTHING_HELD);
		assertThat(this.a.applied().getFirst()).isInstanceOfSatisfying(Entry.Live.class, (entry) -> {
			assertThat(entry.value()).isEqualTo(VALUE);
			assertThat(entry.expiryMillis()).isEqualTo(NOW + 5000);
		});
		this.a.answer(APPLIED);
		this.b.answer(APPLIED);
		assertThat(write).isNotDone();
		this.c.answer(APPLIED);
		assertThat(write).isCompletedWithValue(new HandoverReply.Written(proposal().version()));
		assertThat(this.admission.requests()).isZero();
	}

	@Test
	void anExpiryIsKeptWhereTheWriteWasHandedOver() {
		StepVerifier
			.create(this.atC.putIf(KEY, match(10), new Content(VALUE, null, Content.KEEP),
					requestContext(2, 3, this.admission.admit(3))))
			.then(() -> this.a.answer(new HandoverReply.Written(VERSION)))
			.expectNextCount(1)
			.verifyComplete();
		Handover handed = this.a.handedOver().getFirst();
		var _ = this.coordinator.handedOver(KEY, handed, Deadline.after(LIMIT), this.admission).toFuture();
		promise(new Entry.Live(Timestamp.ofMillis(10), 3, NOW + 100, VALUE));
		assertThat(((Entry.Live) this.a.applied().getFirst()).expiryMillis()).isEqualTo(NOW + 100);
		accept();
		this.c.answer(APPLIED);
	}

	@Test
	void theCoordinatorOfAWriteIsToldWhatItHasComeTo() {
		CompletableFuture<@Nullable HandoverReply> unmet = handOver(match(10), 2);
		this.a.answer(unmet(live(20, 3)));
		this.b.answer(unmet(live(20, 3)));
		assertThat(unmet).isCompletedWithValue(new HandoverReply.Unmet(Timestamp.ofMillis(20), null, false));
		CompletableFuture<@Nullable HandoverReply> undecided = handOver(Condition.NONE, 3);
		promise(NOTHING_HELD);
		this.a.answer(APPLIED);
		this.b.answer(APPLIED);
		this.c.answer(failed(Reason.FAILED));
		assertThat(undecided).isCompletedWithValue(new HandoverReply.Undecided("written", proposal().version(), 3, 2,
				List.of(said("a", "ack"), said("b", "ack"), said("c", "failed"))));
		CompletableFuture<@Nullable HandoverReply> first = handOver(Condition.NONE, 2);
		CompletableFuture<@Nullable HandoverReply> contended = handOver(Condition.NONE, 2,
				Deadline.after(Duration.ofSeconds(9)));
		this.time.pass(Duration.ofSeconds(10));
		assertThat(contended).isCompletedWithValue(new HandoverReply.Contended(0));
		assertThat(first).isNotDone();
		this.time.pass(LIMIT);
		assertThat(first).isCompletedWithValueMatching(
				(reply) -> reply instanceof HandoverReply.Undecided late && late.outcome().equals("not-written"));
		CompletableFuture<@Nullable HandoverReply> late = handOver(Condition.NONE, 2, Deadline.after(Duration.ZERO));
		assertThat(late).isCompletedWithValueMatching(
				(reply) -> reply instanceof HandoverReply.Failed(var failure) && failure.reason() == Reason.OVERLOADED);
		assertThat(this.admission.requests()).isZero();
	}

	private static HandoverReply.Said said(String node, String word) {
		return new HandoverReply.Said(node, word);
	}

}
