package io.quorate.coordinator;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.clock.Deadline;
import io.quorate.clock.HybridClock;
import io.quorate.clock.NoCeiling;
import io.quorate.clock.TimeSource;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Entry;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import io.quorate.replica.ReadReply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests whose deadlines are near or have passed, in a time that stands still unless a
 * test moves it. No hedge is left.
 */
class LastChanceTests extends ScriptedCluster {

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private static final Entry LARGE = new Entry.Live(Timestamp.ofMillis(20), 3, Entry.NEVER,
			Value.wrap(new byte[2 * DIGEST_ABOVE]));

	private static final Entry SMALL = live(20, 3);

	private final AtomicLong nanos = new AtomicLong(-5_000_000_000L);

	private final DeadlineSweep sweep = new DeadlineSweep(Runnable::run, this.nanos::get,
			() -> assertThat(this.nanos).isNotNull());

	private final QuorumCoordinator still = coordinator(() -> NOW);

	@AfterEach
	void nothingIsLeft() {
		assertThat(this.sweep.pending()).isZero();
	}

	@Test
	void anUnaskedReplicaIsAskedWhenTheDeadlineIsNear() {
		StepVerifier.create(read(this.still, 2, 3))
			.then(() -> this.a.answer(ABSENT))
			.then(() -> after(740))
			.then(() -> assertThat(this.c.reads()).as("before").isZero())
			.then(() -> after(10))
			.then(() -> assertThat(this.c.reads()).isOne())
			.then(() -> this.c.answer(ABSENT))
			.expectNext(new ReadOutcome.Missing())
			.verifyComplete();
		assertThat(this.meters.get("quorate.reads.moved.on").tag("reason", "deadline").counter().count()).isOne();
	}

	@Test
	void allAreAskedWhoCanStillMakeTheAnswer() {
		StepVerifier.create(read(this.still, 1, 3))
			.then(() -> after(750))
			.then(() -> assertThat(this.b.reads() + this.c.reads()).isOne())
			.then(() -> this.a.answer(ABSENT))
			.expectNext(new ReadOutcome.Missing())
			.verifyComplete();
	}

	@Test
	void itIsAskedOnceHoweverOftenTimeIsLookedAt() {
		StepVerifier.create(read(this.still, 2, 3))
			.then(() -> after(800))
			.then(() -> after(100))
			.then(() -> after(90))
			.then(() -> assertThat(this.c.reads()).isOne())
			.then(() -> after(10))
			.verifyError(QuorumNotReachedException.class);
	}

	@Test
	void aSilentReplicaThatAnswersLateStillCounts() {
		StepVerifier.create(read(this.still, 2, 3))
			.then(() -> this.a.answer(ABSENT))
			.then(() -> after(900))
			.then(() -> this.b.answer(ABSENT))
			.expectNext(new ReadOutcome.Missing())
			.verifyComplete();
	}

	@Test
	void aValueThatTheSilentOneHasToBringIsAskedForElsewhere() {
		StepVerifier.create(read(this.still, 2, 3))
			.then(() -> this.b.answer(new ReadReply.Summarized(Summary.of(LARGE))))
			.then(() -> assertThat(this.b.reads() + this.c.reads()).isOne())
			.then(() -> after(750))
			.then(() -> this.c.answer(found(LARGE)))
			.expectNext(new ReadOutcome.Found((Entry.Live) LARGE))
			.verifyComplete();
	}

	@Test
	void aRepairOfWhichNothingIsHeardIsMadeElsewhere() {
		StepVerifier.create(read(this.still, 2, 3))
			.then(() -> this.a.answer(found(SMALL)))
			.then(() -> this.b.answer(ABSENT))
			.then(() -> assertThat(this.b.applied()).containsExactly(SMALL))
			.then(() -> after(750))
			.then(() -> assertThat(this.c.applied()).containsExactly(SMALL))
			.then(() -> this.c.answer(APPLIED))
			.expectNext(new ReadOutcome.Found((Entry.Live) SMALL))
			.verifyComplete();
	}

	@Test
	void aWriteThatGetsItsStampAfterItsDeadlineIsSentNowhere() {
		QuorumCoordinator frozen = coordinator(() -> {
			after(1001);
			return NOW;
		});
		StepVerifier.create(frozen.put(KEY, Content.of(Value.EMPTY), inTime(2, 3)))
			.expectErrorSatisfies(
					(error) -> assertThat(((RefusedException) error).why()).isEqualTo(RefusedException.Why.LATE))
			.verify();
		assertThat(this.a.applied()).isEmpty();
		assertThat(this.admission.requests()).isZero();
		assertThat(this.meters.get("quorate.shed").tag("reason", "late").counter().count()).isOne();
	}

	@Test
	void aWriteIsNotStampedAnewAfterItsDeadline() {
		StepVerifier.create(this.still.put(KEY, Content.of(Value.EMPTY), inTime(2, 3)))
			.then(() -> this.nanos.addAndGet(TimeUnit.SECONDS.toNanos(5)))
			.then(() -> this.a.answer(superseded(30)))
			.then(() -> this.b.answer(superseded(30)))
			.verifyError(QuorumNotReachedException.class);
		this.c.answer(APPLIED);
		assertThat(this.a.applied()).hasSize(1);
	}

	private void after(long millis) {
		this.nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
		this.sweep.sweep();
	}

	private QuorumCoordinator coordinator(TimeSource time) {
		QuorumCoordinator coordinator = new QuorumCoordinator(new HybridClock(time, 7, new NoCeiling(), 0),
				this.clusterView, DIGEST_ABOVE, this.meters, this.sweep);
		while (coordinator.readServices().hedging().tryTake()) {
			assertThat(this.a.reads()).isZero();
		}
		return coordinator;
	}

	private Mono<ReadOutcome> read(QuorumCoordinator coordinator, int ack, int from) {
		return coordinator.read(KEY, inTime(ack, from));
	}

	private RequestContext inTime(int ack, int from) {
		return new RequestContext(new Consistency(ack, from), new Deadline(this.nanos.get() + TIMEOUT.toNanos()),
				this.admission.admit(0), new RequestTimeline(this.nanos.get()));
	}

}
