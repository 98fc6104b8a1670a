package io.quorate.coordinator;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.ClockCeiling;
import io.quorate.clock.HybridClock;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.Timestamp;
import io.quorate.clock.TrueTime;
import io.quorate.coordinator.QuorumNotReachedException.Said;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.entry.ContentType;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import io.quorate.repair.HintSink;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.ReadReply;
import io.quorate.replica.WriteReply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;

class QuorumCoordinatorTests {

	private static final Duration LIMIT = Duration.ofMinutes(1);

	private static final Key KEY = Key.of("key");

	private static final Value VALUE = Value.copyOf(new byte[] { 1, 2, 3 });

	private static final WriteReply APPLIED = WriteReply.Applied.COMPLETE;

	private final AtomicLong millis = new AtomicLong(1_000_000);

	private final Ceiling ceiling = new Ceiling();

	private final HybridClock clock = new HybridClock(this.millis::get, 7, this.ceiling, 0);

	private final ScriptedReplica a = new ScriptedReplica("a");

	private final ScriptedReplica b = new ScriptedReplica("b");

	private final ScriptedReplica c = new ScriptedReplica("c");

	private final MeterRegistry meters = new SimpleMeterRegistry();

	private final Admission admission = new Admission(10, 1000, this.meters);

	private final SkewJudge judge = new SkewJudge(this.millis::get, System::nanoTime, Duration.ofHours(3));

	private final ScriptedTime time = new ScriptedTime();

	private final QuorumCoordinator coordinator = new QuorumCoordinator(this.clock,
			new ClusterView("a", () -> new FixedLists(3, List.of(this.a, this.b, this.c)), Suspects.NONE, this.judge,
					new TrueTime(this.millis::get, () -> 0), HintSink.FORGOTTEN),
			Integer.MAX_VALUE, this.meters, this.time.sweep);

	@AfterEach
	void close() {
		this.coordinator.close();
	}

	@Test
	void writeIsAnsweredByTheAckthReply() {
		StepVerifier.create(put(2, 3)).then(() -> this.b.answer(APPLIED)).then(() -> {
			assertThat(this.admission.requests()).isOne();
			this.c.answer(APPLIED);
		})
			.assertNext((written) -> assertThat(written.timestamp()).isEqualTo(this.a.applied().getFirst().timestamp()))
			.verifyComplete();
	}

	@Test
	void replicaThatAnswersAtOnceDoesNotKeepTheOthersFromBeingAsked() {
		this.a.answeringAtOnce(APPLIED);
		StepVerifier.create(put(1, 3)).expectNextCount(1).verifyComplete();
		assertThat(this.b.applied()).isEqualTo(this.a.applied());
		assertThat(this.c.applied()).isEqualTo(this.a.applied());
	}

	@Test
	void neitherTheAckthReplyNorTheClientCancelsAWrite() {
		this.a.answeringAtOnce(APPLIED);
		StepVerifier.create(put(1, 3)).expectNextCount(1).verifyComplete();
		StepVerifier.create(put(2, 3)).thenCancel().verify();
		assertThat(this.b.applied()).hasSize(2);
		assertThat(this.b.cancelled() + this.c.cancelled()).isZero();
	}

	@Test
	void bytesAreGivenBackWithTheLastOutcomeAndNotWithTheAnswer() {
		this.a.answeringAtOnce(APPLIED);
		StepVerifier.create(put(1, 3)).expectNextCount(1).verifyComplete();
		assertThat(this.admission.bytes()).isEqualTo(VALUE.size());
		this.b.answer(failed(Reason.TIMEOUT));
		assertThat(this.admission.bytes()).isEqualTo(VALUE.size());
		this.c.answer(APPLIED);
		assertThat(this.admission.bytes()).isZero();
		assertThat(this.admission.requests()).isZero();
	}

	@Test
	void aHopelessWriteFailsEarlyAndReportsEachReplica() {
		StepVerifier.create(put(2, 3))
			.then(() -> this.a.answer(failed(Reason.FAILED)))
			.then(() -> this.c.answer(failed(Reason.OVERLOADED)))
			.expectErrorSatisfies((error) -> {
				assertThat(error).isInstanceOf(QuorumNotReachedException.class);
				QuorumNotReachedException notReached = (QuorumNotReachedException) error;
				assertThat(notReached.required()).isEqualTo(2);
				assertThat(notReached.acknowledged()).isZero();
				assertThat(notReached.isWrite()).isTrue();
				assertThat(notReached.replicas()).containsExactly(new Said("a", "failed"), new Said("b", "silent"),
						new Said("c", "overloaded"));
			})
			.verify();
	}

	@Test
	void refusalOfEveryReplicaIsARefusal() {
		StepVerifier.create(put(3, 3))
			.then(() -> this.a.answer(failed(Reason.OVERLOADED)))
			.then(() -> this.b.answer(APPLIED))
			.verifyError(QuorumNotReachedException.class);
		StepVerifier.create(put(1, 2))
			.then(() -> this.a.answer(failed(Reason.OVERLOADED)))
			.then(() -> this.b.answer(failed(Reason.DISK_FULL)))
			.expectErrorSatisfies((error) -> assertThat(((RefusedException) error).why()).isEqualTo(Why.DISK_FULL))
			.verify();
	}

	@Test
	void stampThatEveryReplicaRefusesIsARefusalAndNoAbsence() {
		StepVerifier.create(put(1, 2))
			.then(() -> this.a.answer(failed(Reason.CLOCK_SKEW)))
			.then(() -> this.b.answer(failed(Reason.CLOCK_SKEW)))
			.expectErrorSatisfies((error) -> assertThat(((RefusedException) error).why()).isEqualTo(Why.CLOCK))
			.verify();
		StepVerifier.create(put(2, 3))
			.then(() -> this.a.answer(APPLIED))
			.then(() -> this.b.answer(failed(Reason.CLOCK_SKEW)))
			.then(() -> this.c.answer(failed(Reason.CLOCK_SKEW)))
			.expectErrorSatisfies((error) -> assertThat(((QuorumNotReachedException) error).replicas())
				.containsExactly(new Said("a", "ack"), new Said("b", "clock-skew"), new Said("c", "clock-skew")))
			.verify();
	}

	@Test
	void silentReplicasEndTheWriteAtItsDeadline() {
		StepVerifier.create(put(2, 3, LIMIT))
			.then(() -> this.a.answer(APPLIED))
			.then(() -> this.time.pass(LIMIT))
			.expectErrorSatisfies((error) -> assertThat(((QuorumNotReachedException) error).replicas())
				.containsExactly(new Said("a", "ack"), new Said("b", "silent"), new Said("c", "silent")))
			.verify();
	}

	@Test
	void supersededWriteIsStampedAnewAboveWhatWasSaid() {
		Timestamp newer = Timestamp.ofMillis(2_000_000);
		StepVerifier.create(put(2, 3))
			.then(() -> this.a.answer(APPLIED))
			.then(() -> this.b.answer(new WriteReply.Superseded(Timestamp.ofMillis(1_500_000), true)))
			.then(() -> this.c.answer(new WriteReply.Superseded(newer, true)))
			.then(() -> this.a.answer(APPLIED))
			.then(() -> this.b.answer(APPLIED))
			.assertNext((written) -> assertThat(written.timestamp().isAfter(newer)).isTrue())
			.verifyComplete();
		assertThat(this.a.applied()).hasSize(2);
		assertThat(this.c.applied()).hasSize(2);
	}

	@Test
	void expiryMovesWithTheStamp() {
		Mono<Written> write = Mono
			.defer(() -> this.coordinator.put(KEY, new Content(VALUE, null, Duration.ofSeconds(5)),
					ScriptedCluster.requestContext(1, 1, this.admission.admit(0))));
		StepVerifier.create(write)
			.then(() -> this.a.answer(new WriteReply.Superseded(Timestamp.ofMillis(9_000_000), true)))
			.then(() -> this.a.answer(APPLIED))
			.expectNextCount(1)
			.verifyComplete();
		Entry last = this.a.applied().getLast();
		assertThat(last.expiryMillis()).isEqualTo(last.timestamp().millis() + 5000).isGreaterThan(9_000_000);
	}

	@Test
	void aContentTypeIsKept() {
		ContentType type = ContentType.of("text/plain");
		Mono<Written> write = Mono.defer(() -> this.coordinator.put(KEY, new Content(VALUE, type, null),
				ScriptedCluster.requestContext(1, 1, this.admission.admit(0))));
		StepVerifier.create(write).then(() -> this.a.answer(APPLIED)).expectNextCount(1).verifyComplete();
		assertThat(this.a.applied().getLast().contentType()).isEqualTo(type);
	}

	@Test
	void writeWaitsForTheCeilingOfTheClock() {
		this.ceiling.hybrid = 0;
		StepVerifier.create(put(1, 1))
			.then(() -> assertThat(this.a.applied()).isEmpty())
			.then(() -> this.ceiling.raise(Long.MAX_VALUE))
			.then(() -> this.a.answer(APPLIED))
			.expectNextCount(1)
			.verifyComplete();
	}

	@Test
	void writeWaitsAgainWhenTheClockHasJumpedMeanwhile() {
		this.ceiling.hybrid = 0;
		this.ceiling.risesAtTheTime = 3;
		this.ceiling.raised.complete(null);
		StepVerifier.create(put(1, 1)).then(() -> this.a.answer(APPLIED)).expectNextCount(1).verifyComplete();
	}

	@Test
	void writeIsRefusedWhenTheCeilingIsNotRaisedInTime() {
		this.ceiling.hybrid = 0;
		StepVerifier.create(put(1, 1, LIMIT))
			.then(() -> this.time.pass(LIMIT))
			.expectErrorSatisfies((error) -> assertThat(((RefusedException) error).why()).isEqualTo(Why.CLOCK))
			.verify();
		assertThat(this.admission.requests()).isZero();
	}

	@Test
	void readGivesTheNewestOfTheAnswers() {
		Entry older = new Entry.Live(Timestamp.ofMillis(10), 3, Entry.NEVER, Value.EMPTY);
		Entry newer = new Entry.Live(Timestamp.ofMillis(20), 3, Entry.NEVER, VALUE);
		StepVerifier.create(read(2, 3))
			.then(() -> this.b.answer(new ReadReply.Found(newer)))
			.then(() -> this.a.answer(new ReadReply.Found(older)))
			.then(() -> this.a.answer(APPLIED))
			.expectNext(new ReadOutcome.Found((Entry.Live) newer))
			.verifyComplete();
	}

	@Test
	void deletedExpiredAndNeverWrittenReadAsMissing() {
		Entry deleted = new Entry.Tombstone(Timestamp.ofMillis(30), 3);
		Entry expired = new Entry.Live(Timestamp.ofMillis(30), 3, 1_000_000, VALUE);
		for (ReadReply reply : List.of(new ReadReply.Found(deleted), new ReadReply.Found(expired),
				new ReadReply.Absent())) {
			StepVerifier.create(read(1, 1))
				.then(() -> this.a.answer(reply))
				.expectNext(new ReadOutcome.Missing())
				.verifyComplete();
		}
	}

	@Test
	void readThatFailsForOverloadAloneIsARefusal() {
		StepVerifier.create(read(2, 3))
			.then(() -> this.a.answer(readFailed(Reason.OVERLOADED)))
			.then(() -> this.b.answer(readFailed(Reason.OVERLOADED)))
			.expectErrorSatisfies((error) -> assertThat(error).isInstanceOfSatisfying(RefusedException.class,
					(refused) -> assertThat(refused.why()).isEqualTo(Why.REPLICAS)))
			.verify();
		StepVerifier.create(read(2, 3))
			.then(() -> this.a.answer(readFailed(Reason.OVERLOADED)))
			.then(() -> this.b.answer(readFailed(Reason.CORRUPT)))
			.verifyError(QuorumNotReachedException.class);
	}

	@Test
	void readThatMeetsPromisesAgainAndAgainFailsInTheEnd() {
		Entry held = new Entry.Live(Timestamp.ofMillis(20), 3, Entry.NEVER, VALUE);
		PrepareReply promised = new PrepareReply.Promised(Summary.of(held));
		StepVerifier.create(read(3, 3)).then(() -> {
			for (int settled = 0; settled <= 5; settled++) {
				assertThat(this.a.proposals()).hasSize(settled);
				this.a.answer(new ReadReply.Found(held));
				this.b.answer(new ReadReply.Absent());
				this.c.answer(new ReadReply.Absent());
				this.b.answer(new WriteReply.Promised(Timestamp.ofMillis(30)));
				if (settled < 5) {
					this.a.answer(promised);
					this.b.answer(promised);
					this.a.answer(new ReadReply.Found(held));
					this.a.answer(APPLIED);
					this.b.answer(APPLIED);
				}
			}
		}).verifyError(QuorumNotReachedException.class);
		assertThat(this.a.proposals()).hasSize(5);
	}

	@Test
	void readFailsWhenTooFewReplicasCanAnswer() {
		StepVerifier.create(read(2, 2))
			.then(() -> this.a.answer(new ReadReply.Failed(new Failure(Reason.CORRUPT, "a bad page"))))
			.expectErrorSatisfies((error) -> assertThat(((QuorumNotReachedException) error).replicas())
				.containsExactlyInAnyOrder(new Said("a", "corrupt"), new Said("b", "silent")))
			.verify();
	}

	private Mono<Written> put(int ack, int from) {
		return put(ack, from, LIMIT);
	}

	private Mono<Written> put(int ack, int from, Duration timeout) {
		return Mono.defer(() -> this.coordinator.put(KEY, Content.of(VALUE),
				ScriptedCluster.requestContext(ack, from, timeout, this.admission.admit(VALUE.size()))));
	}

	private Mono<ReadOutcome> read(int ack, int from) {
		return Mono.defer(
				() -> this.coordinator.read(KEY, ScriptedCluster.requestContext(ack, from, this.admission.admit(0))));
	}

	private static WriteReply failed(Reason reason) {
		return new WriteReply.Failed(new Failure(reason, "as the test wants"));
	}

	private static ReadReply readFailed(Reason reason) {
		return new ReadReply.Failed(new Failure(reason, "as the test wants"));
	}

	private static final class Ceiling implements ClockCeiling {

		private final CompletableFuture<Void> raised = new CompletableFuture<>();

		private volatile long hybrid = Long.MAX_VALUE;

		private int risesAtTheTime;

		@Override
		public long durableHybrid() {
			return this.hybrid;
		}

		@Override
		public CompletableFuture<Void> raiseAbove(long wanted) {
			if (--this.risesAtTheTime == 0) {
				this.hybrid = Long.MAX_VALUE;
			}
			return this.raised;
		}

		private void raise(long to) {
			this.hybrid = to;
			this.raised.complete(null);
		}

	}

}
