package io.quorate.coordinator;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.HybridClock;
import io.quorate.clock.NoCeiling;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.TrueTime;
import io.quorate.coordinator.RangeScan.Row;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Value;
import io.quorate.repair.HintSink;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;

/** Requests under way, and those that follow, while the layout becomes another. */
class LayoutChangeTests {

	private static final Duration LIMIT = Duration.ofMinutes(1);

	private static final Key KEY = Key.of("key");

	private static final Value VALUE = Value.copyOf(new byte[] { 1 });

	private static final WriteReply APPLIED = WriteReply.Applied.COMPLETE;

	private final ScriptedReplica a = new ScriptedReplica("a");

	private final ScriptedReplica b = new ScriptedReplica("b");

	private final ScriptedReplica c = new ScriptedReplica("c");

	private final ScriptedReplica d = new ScriptedReplica("d");

	private final ScriptedReplica e = new ScriptedReplica("e");

	private final AtomicReference<PreferenceLists> lists = new AtomicReference<>(
			new FixedLists(3, List.of(this.a, this.b, this.c)));

	private final MeterRegistry meters = new SimpleMeterRegistry();

	private final Admission admission = new Admission(10, 1000, this.meters);

	private final ScriptedTime time = new ScriptedTime();

	private final Outcome outcome = new Outcome();

	private final QuorumCoordinator coordinator = new QuorumCoordinator(
			new HybridClock(() -> ScriptedCluster.NOW, 7, new NoCeiling(), 0),
			new ClusterView("a", this.lists::get, Suspects.NONE,
					new SkewJudge(() -> ScriptedCluster.NOW, System::nanoTime, ScriptedCluster.MAX_SKEW),
					new TrueTime(() -> ScriptedCluster.NOW, () -> 0), HintSink.FORGOTTEN),
			Integer.MAX_VALUE, this.meters, this.time.sweep);

	@AfterEach
	void close() {
		this.coordinator.close();
	}

	private void change() {
		this.lists.set(new FixedLists(5, List.of(this.a, this.b, this.c, this.d, this.e)));
	}

	private RequestContext byDefault() {
		RequestContext any = ScriptedCluster.requestContext(1, 1, this.admission.admit(1));
		return new RequestContext(Consistency.DEFAULT, any.deadline(), any.permit(), any.timeline());
	}

	private Mono<Written> put() {
		return this.outcome.of(Mono.defer(() -> this.coordinator.put(KEY, Content.of(VALUE), byDefault())));
	}

	private Mono<ReadOutcome> read() {
		return this.outcome.of(Mono.defer(() -> this.coordinator.read(KEY, byDefault())));
	}

	@Test
	void aWriteKeepsItsReplicasAndItsQuorumToTheEnd() {
		WriteReply superseded = ScriptedCluster.superseded(ScriptedCluster.NOW + 1);
		StepVerifier.create(put()).then(() -> {
			change();
			this.a.answer(superseded);
			this.b.answer(superseded);
		}).then(() -> {
			assertThat(this.a.applied()).as("attempts").hasSize(2);
			this.a.answer(APPLIED);
			this.b.answer(APPLIED);
		}).expectNextCount(1).verifyComplete();
		assertThat(this.c.applied()).extracting(Entry::from).containsExactly(3, 3);
		assertThat(this.d.applied()).isEmpty();
		assertThat(this.e.applied()).isEmpty();
	}

	@Test
	void aWriteAfterTheChangeHasTheNewReplicasAndTheirMajority() {
		StepVerifier.create(put()).then(() -> {
			this.a.answer(APPLIED);
			this.b.answer(APPLIED);
		}).expectNextCount(1).verifyComplete();
		change();
		StepVerifier.create(put()).then(() -> {
			this.a.answer(APPLIED);
			this.b.answer(APPLIED);
		}).then(this.outcome::requireNone).then(() -> this.e.answer(APPLIED)).expectNextCount(1).verifyComplete();
		assertThat(this.d.applied()).extracting(Entry::from).containsExactly(5);
		assertThat(this.coordinator.replicationFactor()).isEqualTo(5);
	}

	@Test
	void aReadAsksOnlyReplicasOfTheLayoutThatItBeganWith() {
		StepVerifier.create(read()).then(() -> {
			change();
			this.b.answer(new ReadReply.Failed(new Failure(Reason.DISCONNECTED, "as the test wants")));
		}).then(() -> {
			this.a.answer(ScriptedCluster.ABSENT);
			this.c.answer(ScriptedCluster.ABSENT);
		}).expectNext(new ReadOutcome.Missing()).verifyComplete();
		assertThat(this.d.reads() + this.e.reads()).isZero();
		StepVerifier.create(read()).then(() -> {
			this.a.answer(ScriptedCluster.ABSENT);
			this.d.answer(ScriptedCluster.ABSENT);
		})
			.then(this.outcome::requireNone)
			.then(() -> this.time.pass(UnhedgedFixture.HEDGE_DELAY))
			.then(() -> this.e.answer(ScriptedCluster.ABSENT))
			.expectNext(new ReadOutcome.Missing())
			.verifyComplete();
	}

	@Test
	void aScanReadsToItsEndFromTheNodesThatItBeganWith() {
		ScriptedNetwork lines = new ScriptedNetwork();
		List<MemoryReplica> three = List.of(new MemoryReplica("a", lines), new MemoryReplica("b", lines),
				new MemoryReplica("c", lines));
		MemoryReplica joined = new MemoryReplica("d", lines);
		joined.put(Key.of("k0"), ScriptedCluster.live(ScriptedCluster.NOW, 3));
		this.lists.set(new FixedLists(3, List.<Replica>copyOf(three)));
		RangeScan scan = this.coordinator
			.scan(new ScanRequest(new ScanRequest.Wanted(ScanRange.ascending(Key.of("a"), null), false, Long.MAX_VALUE),
					Consistency.DEFAULT, LIMIT, this.admission.admit(0), new RequestTimeline(0)));
		this.lists.set(new FixedLists(1, List.of(joined)));
		StepVerifier.create(scan.nextPage()).as("a layout without the three").verifyComplete();
		scan.close();
		RangeScan after = this.coordinator
			.scan(new ScanRequest(new ScanRequest.Wanted(ScanRange.ascending(Key.of("a"), null), false, Long.MAX_VALUE),
					Consistency.DEFAULT, LIMIT, this.admission.admit(0), new RequestTimeline(0)));
		StepVerifier.create(after.nextPage())
			.assertNext((rows) -> assertThat(rows).extracting(Row::key).containsExactly(Key.of("k0")))
			.verifyComplete();
		after.close();
	}

}
