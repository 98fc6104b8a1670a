package io.quorate.coordinator;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Timer;
import io.quorate.clock.Deadline;
import io.quorate.coordinator.RequestTimeline.Hop;
import io.quorate.coordinator.RequestTimeline.Stage;
import io.quorate.coordinator.RequestTimeline.Work;
import io.quorate.entry.Entry;
import io.quorate.entry.Value;
import io.quorate.replica.Failure.Reason;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The counts of requests whose replicas answer as a test wants. */
class CoordinatorMetricsTests extends UnhedgedFixture {

	private static final Value VALUE = Value.copyOf(new byte[] { 1, 2, 3 });

	private static final Entry OLD = live(10, 3);

	private static final Entry NEW = live(20, 3);

	private final RequestTimeline timeline = new RequestTimeline(System.nanoTime());

	@Test
	void everySeriesIsThereBeforeAnythingHappens() {
		assertThat(this.meters.find("quorate.coordinator.stage").timers()).hasSize(6);
		assertThat(this.meters.find("quorate.shed").counters()).hasSize(7);
		assertThat(this.meters.find("quorate.hedge").counters()).hasSize(2);
		assertThat(this.meters.find("quorate.reads.moved.on").counters()).hasSize(3);
		assertThat(this.meters.find("quorate.read.repair").counters()).hasSize(7);
		assertThat(this.meters.find("quorate.acks.missing").counters()).hasSize(3);
		assertThat(Arrays.stream(CoordinatorMeters.values()).map(CoordinatorMeters::getName))
			.filteredOn((name) -> !name.startsWith("quorate.quorum."))
			.allMatch((name) -> this.meters.find(name).meter() != null);
	}

	@Test
	void answeredWriteHasBeenThroughItsStages() {
		put(2, 3, () -> {
			this.a.answer(APPLIED);
			this.c.answer(APPLIED);
		});
		assertThat(stage("put", "stamp").count()).isOne();
		assertThat(stage("put", "replicas").count()).isOne();
		assertThat(stage("delete", "stamp").count()).isZero();
		this.b.answer(APPLIED);
		this.timeline.close(System.nanoTime());
		assertThat(this.timeline.hops()).extracting(Hop::node).containsExactly("a", "b", "c");
		assertThat(this.timeline.hops()).extracting(Hop::work).containsOnly(Work.WRITE);
		assertThat(stage("put", "replicas").totalTime(TimeUnit.NANOSECONDS))
			.isEqualTo((double) this.timeline.nanos(Stage.REPLICAS));
	}

	@Test
	void deletionHasStagesOfItsOwn() {
		this.a.answeringAtOnce(APPLIED);
		StepVerifier.create(this.coordinator.delete(KEY, requestContext(1, 1, this.admission.admit(0))))
			.expectNextCount(1)
			.verifyComplete();
		assertThat(stage("delete", "stamp").count()).isOne();
		assertThat(stage("delete", "replicas").count()).isOne();
	}

	@Test
	void timeOfARepairThatIsWaitedForIsSettling() {
		read(2, 3, () -> {
			this.a.answer(found(NEW));
			this.b.answer(found(OLD));
			this.time.pass(Duration.ofMillis(20));
			this.b.answer(APPLIED);
		});
		assertThat(stage("get", "settle").max(TimeUnit.MILLISECONDS)).isGreaterThanOrEqualTo(20);
		assertThat(stage("get", "replicas").count()).isOne();
		assertThat(repairs("waited", "repaired")).isOne();
		this.timeline.close(System.nanoTime());
		assertThat(this.timeline.hops()).extracting(Hop::work).containsExactly(Work.READ, Work.READ, Work.REPAIR);
		assertThat(this.timeline.hops()).extracting(Hop::outcome).containsExactly("found", "found", "applied");
	}

	@Test
	void missingAcknowledgementsAreCountedByReplicaOnceEach() {
		put(1, 3, () -> {
			this.a.answer(failed(Reason.OVERLOADED));
			this.b.answer(APPLIED);
		});
		assertThat(missing("a")).isOne();
		assertThat(missing("c")).as("as long as it may answer").isZero();
		this.c.answer(failed(Reason.TIMEOUT));
		assertThat(missing("c")).isOne();
		put(1, 3, () -> this.b.answer(APPLIED));
		this.a.answer(APPLIED);
		this.c.answer(superseded(NOW - 1));
		assertThat(missing("a")).isOne();
		assertThat(missing("b")).isZero();
		assertThat(missing("c")).as("superseded is acknowledged").isOne();
	}

	@Test
	void newStampIsCounted() {
		put(2, 3, () -> {
			this.a.answer(APPLIED);
			this.b.answer(superseded(NOW + 5));
			this.c.answer(superseded(NOW + 5));
			this.a.answer(APPLIED);
			this.b.answer(APPLIED);
		});
		assertThat(stage("put", "stamp").count()).as("one request").isOne();
	}

	@Test
	void aWriteWhoseReplicaHasAStampFromTheFutureIsNotAnswered() {
		StepVerifier.create(write(1, 1))
			.then(() -> this.a.answer(superseded(NOW + MAX_SKEW.toMillis() + 1)))
			.verifyError(QuorumNotReachedException.class);
		assertThat(stage("put", "replicas").count()).as("not answered").isZero();
	}

	@Test
	void refusalsAreCountedByTheirReason() {
		StepVerifier.create(write(1, 1))
			.then(() -> this.a.answer(failed(Reason.OVERLOADED)))
			.verifyError(RefusedException.class);
		StepVerifier.create(write(1, 1))
			.then(() -> this.a.answer(failed(Reason.DRAINING)))
			.verifyError(RefusedException.class);
		StepVerifier.create(write(1, 1))
			.then(() -> this.a.answer(failed(Reason.DISK_FULL)))
			.verifyError(RefusedException.class);
		StepVerifier.create(reading(1, 1))
			.then(() -> this.a.answer(unreadable(Reason.OVERLOADED)))
			.verifyError(RefusedException.class);
		this.judge.heard("b", NOW - MAX_SKEW.toMillis() - 30_000);
		StepVerifier.create(write(1, 1)).verifyError(RefusedException.class);
		assertThat(shed("replicas")).isEqualTo(2);
		assertThat(shed("draining")).isOne();
		assertThat(shed("clock")).isOne();
		assertThat(shed("requests") + shed("bytes")).isZero();
	}

	@Test
	void boundsOfTheNodeAreShedByTheirOwnReasons() {
		Admission one = new Admission(1, 100, this.meters);
		try (Admission.Permit permit = one.admit(60)) {
			assertThatExceptionOfType(RefusedException.class).isThrownBy(() -> one.admit(0));
			assertThatExceptionOfType(RefusedException.class).isThrownBy(() -> permit.grow(50));
		}
		assertThatExceptionOfType(RefusedException.class).isThrownBy(() -> one.admit(101));
		assertThat(shed("requests")).isOne();
		assertThat(shed("bytes")).isEqualTo(2);
	}

	@Test
	void valueForWhichThereIsNoRoomIsShedOnce() {
		Admission.Permit all = this.admission.admit(100_000);
		StepVerifier.create(reading(1, 1)).then(() -> this.a.answer(found(NEW))).verifyError(RefusedException.class);
		assertThat(shed("bytes")).isOne();
		assertThat(shed("replicas")).isZero();
		all.close();
	}

	@Test
	void requestsAndBytesInFlightAreShown() {
		Admission.Permit permit = this.admission.admit(123);
		assertThat(gauge("quorate.inflight.requests")).isOne();
		assertThat(gauge("quorate.inflight")).isEqualTo(123);
		assertThat(gauge("quorate.inflight.requests.limit")).isEqualTo(1000);
		assertThat(gauge("quorate.inflight.limit")).isEqualTo(100_000);
		permit.close();
		assertThat(gauge("quorate.inflight.requests") + gauge("quorate.inflight")).isZero();
	}

	@Test
	void hedgeIsWonWhenItsAnswerCounts() {
		earnAHedge();
		StepVerifier.create(reading(2, 3))
			.then(() -> this.a.answer(ABSENT))
			.then(() -> this.time.pass(HEDGE_DELAY))
			.then(() -> assertThat(this.c.reads()).isOne())
			.then(() -> this.c.answer(ABSENT))
			.expectNextCount(1)
			.verifyComplete();
		assertThat(count("quorate.hedge", "won", "true")).isOne();
		assertThat(count("quorate.hedge", "won", "false")).isZero();
		this.timeline.close(System.nanoTime());
		assertThat(this.timeline.hops()).last().extracting(Hop::work).isEqualTo(Work.HEDGE);
	}

	@Test
	void hedgeIsLostWhenTheSlowOneIsFaster() {
		earnAHedge();
		StepVerifier.create(reading(2, 3))
			.then(() -> this.a.answer(ABSENT))
			.then(() -> this.time.pass(HEDGE_DELAY))
			.then(() -> assertThat(this.c.reads()).isOne())
			.then(() -> this.b.answer(ABSENT))
			.expectNextCount(1)
			.verifyComplete();
		assertThat(count("quorate.hedge", "won", "false")).isOne();
		assertThat(count("quorate.hedge", "won", "true")).isZero();
	}

	@Test
	void hedgeOfAReadThatIsAbandonedIsLost() {
		earnAHedge();
		Disposable reading = reading(2, 3).subscribe();
		this.time.pass(HEDGE_DELAY);
		assertThat(this.c.reads()).isOne();
		reading.dispose();
		assertThat(count("quorate.hedge", "won", "false")).isOne();
	}

	@Test
	void readThatMovesOnFromAFailureSaysSo() {
		read(2, 3, () -> {
			this.a.answer(unreadable(Reason.FAILED));
			this.b.answer(ABSENT);
			this.c.answer(ABSENT);
		});
		assertThat(count("quorate.reads.moved.on", "reason", "error")).isOne();
		assertThat(count("quorate.reads.moved.on", "reason", "suspect")).isZero();
	}

	@Test
	void readThatDoesNotWaitForASuspectSaysSo() {
		StepVerifier.create(reading(2, 3))
			.then(() -> this.suspects.suspect("b"))
			.then(() -> assertThat(this.c.reads()).isOne())
			.then(() -> this.a.answer(ABSENT))
			.then(() -> this.c.answer(ABSENT))
			.expectNextCount(1)
			.verifyComplete();
		assertThat(count("quorate.reads.moved.on", "reason", "suspect")).isOne();
		assertThat(count("quorate.reads.moved.on", "reason", "error")).isZero();
	}

	@Test
	void repairsAreCountedByWhatBecameOfThem() {
		StepVerifier.create(reading(2, 2))
			.then(() -> this.a.answer(found(NEW)))
			.then(() -> this.b.answer(ABSENT))
			.then(() -> this.b.answer(failed(Reason.DISK_FULL)))
			.verifyError(QuorumNotReachedException.class);
		assertThat(repairs("waited", "failed")).isOne();
		read(2, 2, () -> {
			this.a.answer(found(NEW));
			this.b.answer(ABSENT);
			this.b.answer(superseded(30));
			this.b.answer(found(NEW));
		});
		assertThat(repairs("waited", "superseded")).isOne();
	}

	@Test
	void lateRepairIsCountedWhenItsReplicaAnswers() {
		BackgroundReadRepair late = new BackgroundReadRepair(
				new CoordinatorMetrics(this.meters, this.clusterView.lists().get().allReplicas()));
		for (int i = 0; i < 300; i++) {
			late.repair(KEY, NEW, List.of(this.a), Deadline.after(LIMIT));
		}
		assertThat(repairs("late", "left_out")).as("beyond what may be under way").isEqualTo(44);
		this.a.answer(APPLIED);
		assertThat(repairs("late", "repaired")).isOne();
	}

	private void earnAHedge() {
		for (int i = 0; i < Hedging.READS_PER_HEDGE; i++) {
			this.coordinator.readServices().hedging().earn();
		}
	}

	private void put(int ack, int from, Runnable answers) {
		StepVerifier.create(write(ack, from)).then(answers).expectNextCount(1).verifyComplete();
	}

	private void read(int ack, int from, Runnable answers) {
		StepVerifier.create(reading(ack, from)).then(answers).expectNextCount(1).verifyComplete();
	}

	private Mono<Written> write(int ack, int from) {
		return Mono.defer(() -> this.coordinator.put(KEY, Content.of(VALUE),
				withTrail(requestContext(ack, from, this.admission.admit(VALUE.size())))));
	}

	private Mono<ReadOutcome> reading(int ack, int from) {
		return Mono.using(() -> this.admission.admit(0),
				(permit) -> this.coordinator.read(KEY, withTrail(requestContext(ack, from, permit))));
	}

	private RequestContext withTrail(RequestContext requestContext) {
		return new RequestContext(requestContext.consistency(), requestContext.deadline(), requestContext.permit(),
				this.timeline);
	}

	private Timer stage(String operation, String stage) {
		return this.meters.get("quorate.coordinator.stage").tags("operation", operation, "stage", stage).timer();
	}

	private double missing(String peer) {
		return count("quorate.acks.missing", "peer", peer);
	}

	private double shed(String reason) {
		return count("quorate.shed", "reason", reason);
	}

	private double repairs(String kind, String outcome) {
		return count("quorate.read.repair", "kind", kind, "outcome", outcome);
	}

	private double count(String name, String... tags) {
		return this.meters.get(name).tags(tags).counter().count();
	}

	private double gauge(String name) {
		return this.meters.get(name).gauge().value();
	}

}
