package io.quorate.coordinator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.Deadline;
import io.quorate.clock.HybridClock;
import io.quorate.clock.NoCeiling;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.Timestamp;
import io.quorate.clock.TrueTime;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Summary;
import io.quorate.entry.Value;
import io.quorate.repair.HintSink;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.replica.FencedReplica;
import io.quorate.replica.PrepareReply;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import io.quorate.replica.WritesUnderWay;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests that replicas refuse because they have adopted another layout, by which
 * replica d takes the place of c.
 */
class PlannedAnewTests {

	private static final Duration LIMIT = Duration.ofMinutes(1);

	private static final WriteReply APPLIED = WriteReply.Applied.COMPLETE;

	private static final WriteReply STALE = ScriptedCluster.failed(Reason.STALE_LAYOUT);

	private final ScriptedReplica a = new ScriptedReplica("a");

	private final ScriptedReplica b = new ScriptedReplica("b");

	private final ScriptedReplica c = new ScriptedReplica("c");

	private final ScriptedReplica d = new ScriptedReplica("d");

	private final AtomicReference<PreferenceLists> lists = new AtomicReference<>(lists(this.a, this.b, this.c));

	private final AtomicLong nanos = new AtomicLong();

	private final ScriptedSuspects suspects = new ScriptedSuspects();

	private final Outcome outcome = new Outcome();

	private final DeadlineSweep sweep = new DeadlineSweep(Runnable::run, this.nanos::get, () -> {
	});

	private final MeterRegistry meters = new SimpleMeterRegistry();

	private final Admission admission = new Admission(10, 1_000_000, this.meters);

	private final QuorumCoordinator coordinator = new QuorumCoordinator(
			new HybridClock(() -> ScriptedCluster.NOW, 7, new NoCeiling(), 0),
			new ClusterView("a", this.lists::get, this.suspects,
					new SkewJudge(() -> ScriptedCluster.NOW, this.nanos::get, ScriptedCluster.MAX_SKEW),
					new TrueTime(() -> ScriptedCluster.NOW, () -> 0), HintSink.FORGOTTEN),
			Integer.MAX_VALUE, this.meters, this.sweep);

	@AfterEach
	void close() {
		this.coordinator.close();
	}

	private static FixedLists lists(Replica... replicas) {
		return new FixedLists(3, List.of(replicas));
	}

	private void adoptTheNextLayout() {
		this.lists.set(lists(this.a, this.b, this.d));
		this.sweep.sweep();
	}

	private void pass(Duration time) {
		this.nanos.addAndGet(time.toNanos());
		this.sweep.sweep();
	}

	private RequestContext terms() {
		return terms(Consistency.DEFAULT);
	}

	private RequestContext terms(Consistency consistency) {
		return new RequestContext(consistency, new Deadline(this.nanos.get() + LIMIT.toNanos()),
				this.admission.admit(5), new RequestTimeline(this.nanos.get()));
	}

	private Mono<Written> put() {
		return put(Consistency.DEFAULT);
	}

	private Mono<Written> put(Consistency consistency) {
		return this.outcome.of(Mono.defer(() -> this.coordinator.put(ScriptedCluster.KEY,
				Content.of(Value.copyOf(new byte[] { 1 })), terms(consistency))));
	}

	private Mono<ReadOutcome> read() {
		return this.outcome.of(Mono.defer(() -> this.coordinator.read(ScriptedCluster.KEY, terms())));
	}

	private double plannedAnew() {
		return this.meters.get("quorate.planned.anew").counter().count();
	}

	private static void refuse(WriteReply refusal, ScriptedReplica... replicas) {
		Stream.of(replicas).forEach((replica) -> replica.answer(refusal));
	}

	@Test
	void aWriteThatAllRefusedBeginsAnew() {
		StepVerifier.create(put())
			.then(() -> refuse(STALE, this.c, this.a, this.b))
			.then(this.outcome::requireNone)
			.then(this::adoptTheNextLayout)
			.then(() -> refuse(APPLIED, this.a, this.d))
			.expectNextCount(1)
			.verifyComplete();
		assertThat(this.a.applied()).hasSize(2).doesNotHaveDuplicates();
		assertThat(this.c.applied()).hasSize(1);
		assertThat(this.d.applied()).containsExactly(this.a.applied().getLast());
		assertThat(plannedAnew()).isEqualTo(1);
		assertThat(this.admission.bytes()).as("b has not replied").isEqualTo(5);
		this.b.answer(APPLIED);
		assertThat(this.admission.bytes()).isZero();
		assertThat(this.sweep.pending()).isZero();
	}

	@ParameterizedTest
	@EnumSource(names = { "STALE_LAYOUT", "LAYOUT_BEHIND" })
	void anEntryThatMayBeHeldStaysTheSame(Reason reason) {
		WriteReply refusal = ScriptedCluster.failed(reason);
		StepVerifier.create(put()).then(() -> {
			this.a.answer(APPLIED);
			refuse(refusal, this.b, this.c);
		})
			.then(this.outcome::requireNone)
			.then(this::adoptTheNextLayout)
			.then(() -> takeByARound(this.b, this.d))
			.assertNext((written) -> assertThat(written.timestamp()).isEqualTo(this.a.applied().getFirst().timestamp()))
			.verifyComplete();
		assertThat(Stream.of(this.a, this.b, this.c, this.d).flatMap((each) -> each.applied().stream()))
			.extracting(Entry::version)
			.containsOnly(this.a.applied().getFirst().timestamp());
	}

	/** Replicas that hold nothing promise, and take what is proposed. */
	private static void takeByARound(ScriptedReplica... replicas) {
		Stream.of(replicas).forEach((replica) -> replica.answer(new PrepareReply.Promised(null)));
		Stream.of(replicas).forEach((replica) -> replica.answer(APPLIED));
	}

	/** Replicas hold an entry of another write, which a round finds and settles. */
	private static void findByARound(Entry other, ScriptedReplica... replicas) {
		Stream.of(replicas).forEach((replica) -> replica.answer(new PrepareReply.Promised(Summary.of(other))));
		replicas[0].answer(ScriptedCluster.found(other));
		Stream.of(replicas).forEach((replica) -> replica.answer(APPLIED));
	}

	@Test
	void anEntryThatASilentReplicaMayHoldStaysTheSame() {
		StepVerifier.create(put()).then(() -> refuse(STALE, this.b, this.c)).then(this::adoptTheNextLayout).then(() -> {
			assertThat(this.d.proposals()).as("a may refuse it, too").isEmpty();
			pass(Duration.ofMillis(Planner.RETRY_MILLIS));
			takeByARound(this.b, this.d);
			assertThat(this.d.applied()).singleElement()
				.extracting(Entry::version)
				.isEqualTo(this.c.applied().getFirst().timestamp());
		}).expectNextCount(1).verifyComplete();
	}

	@Test
	void anEntryThatMayBeHeldGetsNoNewTimestamp() {
		StepVerifier.create(put()).then(() -> {
			this.a.answer(APPLIED);
			refuse(STALE, this.b, this.c);
		})
			.then(this::adoptTheNextLayout)
			.then(() -> findByARound(ScriptedCluster.live(ScriptedCluster.NOW + 1, 3), this.a, this.b))
			.as("a majority of a, b and c may hold it, by the layout before")
			.verifyError(QuorumNotReachedException.class);
		assertThat(this.d.applied()).extracting(Entry::version)
			.containsExactly(Timestamp.ofMillis(ScriptedCluster.NOW + 1));
	}

	/* Else a majority of three of five need not meet that of other rounds. */
	@Test
	void roundsOfAWriteAreOfAllReplicasWhenTheFactorRises() {
		ScriptedReplica e = new ScriptedReplica("e");
		StepVerifier.create(put(new Consistency(2, 3))).then(() -> {
			this.a.answer(APPLIED);
			refuse(STALE, this.b, this.c);
		}).then(this::adoptTheNextLayout).then(() -> {
			Stream.of(this.a, this.b, this.d)
				.forEach((replica) -> replica.answer(RegisterFixture.unprepared(Reason.STALE_LAYOUT)));
			this.lists.set(new FixedLists(5, List.of(this.a, this.b, this.c, this.d, e)));
			this.sweep.sweep();
			Stream.of(this.b, this.c).forEach((replica) -> replica.answer(new PrepareReply.Promised(null)));
			assertThat(this.b.applied()).as("two of five have promised").hasSize(1);
			e.answer(new PrepareReply.Promised(null));
			refuse(APPLIED, this.b, this.c, e);
		}).expectNextCount(1).verifyComplete();
		assertThat(e.applied()).extracting(Entry::version).containsExactly(this.a.applied().getFirst().timestamp());
	}

	@Test
	void theQuorumIsReachedThoughOneReplicaHasAdoptedTheNextLayout() {
		StepVerifier.create(put()).then(() -> {
			refuse(STALE, this.b);
			refuse(APPLIED, this.a, this.c);
		}).expectNextCount(1).verifyComplete();
		assertThat(plannedAnew()).isZero();
	}

	@Test
	void aRequestIsTriedAgainThoughItsLayoutStaysTheSame() {
		StepVerifier.create(read()).then(() -> {
			this.a.answer(ScriptedCluster.unreadable(Reason.STALE_LAYOUT));
			this.b.answer(ScriptedCluster.unreadable(Reason.STALE_LAYOUT));
			assertThat(this.c.reads()).isEqualTo(1);
		})
			.then(() -> pass(Duration.ofMillis(Planner.RETRY_MILLIS - 1)))
			.then(this.outcome::requireNone)
			.then(() -> assertThat(this.a.reads()).isEqualTo(1))
			.then(() -> pass(Duration.ofMillis(1)))
			.then(() -> {
				assertThat(this.a.reads()).isEqualTo(2);
				this.a.answer(ScriptedCluster.ABSENT);
				this.b.answer(ScriptedCluster.ABSENT);
			})
			.expectNext(new ReadOutcome.Missing())
			.verifyComplete();
	}

	@Test
	void thePauseGetsLongerWithEachAttempt() {
		ReadReply refusal = ScriptedCluster.unreadable(Reason.STALE_LAYOUT);
		StepVerifier.create(read()).then(() -> {
			for (int attempt = 0; attempt < 5; attempt++) {
				this.a.answer(refusal);
				this.b.answer(refusal);
				long pause = (long) Planner.RETRY_MILLIS << attempt;
				int reads = this.a.reads();
				pass(Duration.ofMillis(pause - 1));
				assertThat(this.a.reads()).as("pause of %d ms", pause).isEqualTo(reads);
				pass(Duration.ofMillis(1));
				assertThat(this.a.reads()).as("pause of %d ms", pause).isEqualTo(reads + 1);
			}
			this.a.answer(refusal);
			this.b.answer(refusal);
			adoptTheNextLayout();
			this.a.answer(ScriptedCluster.ABSENT);
			this.b.answer(ScriptedCluster.ABSENT);
		}).expectNextCount(1).verifyComplete();
	}

	@Test
	void aWriteDoesNotWaitForASilentReplicaOfTheLayoutBefore() {
		StepVerifier.create(put()).then(() -> {
			this.a.answer(APPLIED);
			refuse(STALE, this.b);
		})
			.then(() -> pass(Duration.ofMillis(Planner.RETRY_MILLIS)))
			.then(this.outcome::requireNone)
			.then(this::adoptTheNextLayout)
			.then(() -> takeByARound(this.b, this.d))
			.expectNextCount(1)
			.verifyComplete();
	}

	@Test
	void aReadDoesNotWaitForASilentReplicaOfTheLayoutBefore() {
		StepVerifier.create(read()).then(() -> {
			this.a.answer(ScriptedCluster.ABSENT);
			this.b.answer(ScriptedCluster.unreadable(Reason.STALE_LAYOUT));
			assertThat(this.c.reads()).isEqualTo(1);
		}).then(() -> pass(Duration.ofMillis(Planner.RETRY_MILLIS))).then(this.outcome::requireNone).then(() -> {
			adoptTheNextLayout();
			this.a.answer(ScriptedCluster.ABSENT);
			this.b.answer(ScriptedCluster.ABSENT);
		}).expectNextCount(1).verifyComplete();
	}

	@Test
	void atItsDeadlineAReadIsNotPlannedAnew() {
		StepVerifier.create(read()).then(() -> {
			this.a.answer(ScriptedCluster.ABSENT);
			this.b.answer(ScriptedCluster.unreadable(Reason.STALE_LAYOUT));
			this.lists.set(lists(this.a, this.b, this.d));
			pass(LIMIT);
		}).expectErrorSatisfies((error) -> assertThat(error).hasMessageContaining("b stale-layout, c silent")).verify();
		assertThat(this.a.reads()).isEqualTo(1);
		assertThat(plannedAnew()).isZero();
	}

	@Test
	void atItsDeadlineAWriteIsNotPlannedAnew() {
		StepVerifier.create(put()).then(() -> {
			this.a.answer(APPLIED);
			refuse(STALE, this.b);
			this.lists.set(lists(this.a, this.b, this.d));
			pass(LIMIT);
		}).expectErrorSatisfies((error) -> assertThat(error).hasMessageContaining("b stale-layout, c silent")).verify();
		assertThat(plannedAnew()).isZero();
	}

	@Test
	void anOrderThatIsKnownStaysKnown() {
		this.suspects.suspect("c");
		StepVerifier.create(put()).then(() -> {
			this.a.answer(ScriptedCluster.ABSENT);
			this.b.answer(ScriptedCluster.ABSENT);
			this.a.answer(APPLIED);
			refuse(STALE, this.b, this.c);
		})
			.then(this::adoptTheNextLayout)
			.then(() -> findByARound(ScriptedCluster.live(ScriptedCluster.NOW + 1, 3), this.a, this.b))
			.as("what is newer is of a concurrent write")
			.expectNextCount(1)
			.verifyComplete();
	}

	@Test
	void aClientThatLeavesEndsTheWait() {
		StepVerifier.create(put()).then(() -> {
			this.a.answer(APPLIED);
			refuse(STALE, this.b, this.c);
		}).then(this.outcome::requireNone).thenCancel().verify();
		assertThat(this.sweep.pending()).isZero();
		assertThat(this.admission.bytes()).isZero();
		adoptTheNextLayout();
		assertThat(this.d.applied()).isEmpty();
	}

	@Test
	void aReadIsPlannedByTheNextLayout() {
		Entry entry = ScriptedCluster.live(ScriptedCluster.NOW, 3);
		StepVerifier.create(read()).then(() -> {
			this.a.answer(ScriptedCluster.unreadable(Reason.STALE_LAYOUT));
			this.c.answer(ScriptedCluster.unreadable(Reason.STALE_LAYOUT));
		}).then(this.outcome::requireNone).then(this::adoptTheNextLayout).then(() -> {
			this.a.answer(ScriptedCluster.unreadable(Reason.FAILED));
			this.b.answer(ScriptedCluster.found(entry));
			this.d.answer(ScriptedCluster.found(entry));
		}).expectNext(new ReadOutcome.Found((Entry.Live) entry)).verifyComplete();
		assertThat(this.c.reads()).isEqualTo(1);
	}

	@Test
	void aReadWhoseRepairIsRefusedIsPlannedAnew() {
		Entry entry = ScriptedCluster.live(ScriptedCluster.NOW, 3);
		StepVerifier.create(read()).then(() -> {
			this.a.answer(ScriptedCluster.found(entry));
			this.b.answer(ScriptedCluster.ABSENT);
			refuse(STALE, this.b, this.c);
		}).then(this.outcome::requireNone).then(this::adoptTheNextLayout).then(() -> {
			this.a.answer(ScriptedCluster.found(entry));
			this.b.answer(ScriptedCluster.found(entry));
		}).expectNextCount(1).verifyComplete();
	}

	@Test
	void atItsDeadlineARequestFailsWithWhatReplicasSaid() {
		StepVerifier.create(put()).then(() -> {
			this.a.answer(APPLIED);
			refuse(STALE, this.b, this.c);
		}).then(() -> this.nanos.addAndGet(LIMIT.toNanos() - 1)).then(this.sweep::sweep).then(() -> {
			Stream.of(this.a, this.b, this.c)
				.forEach((replica) -> replica.answer(RegisterFixture.unprepared(Reason.STALE_LAYOUT)));
		}).then(() -> pass(Duration.ofNanos(1))).expectErrorSatisfies((error) -> {
			assertThat(error).isInstanceOf(QuorumNotReachedException.class).hasMessageContaining("stale-layout");
			assertThat(((QuorumNotReachedException) error).isWrite()).isTrue();
		}).verify();
		assertThat(this.sweep.pending()).isZero();
	}

	/** Nodes whose fence a test raises. */
	private static final class Nodes {

		private final ScriptedNetwork lines = new ScriptedNetwork();

		private final List<MemoryReplica> all = Stream.of("a", "b", "c", "d")
			.map((name) -> new MemoryReplica(name, this.lines))
			.toList();

		private final AtomicLong fence = new AtomicLong(1);

		private String unfenced = "";

		private PreferenceLists planned(long layout, int... members) {
			Replica[] replicas = new Replica[members.length];
			for (int i = 0; i < members.length; i++) {
				MemoryReplica member = this.all.get(members[i]);
				replicas[i] = new FencedReplica(member,
						(planned, _) -> (planned < this.fence.get() && !member.nodeId().equals(this.unfenced))
								? new Failure(Reason.STALE_LAYOUT, "later") : null,
						new WritesUnderWay())
					.planned(layout);
			}
			return lists(replicas);
		}

		private void fill(int keys) {
			for (int i = 0; i < keys; i++) {
				for (MemoryReplica node : this.all) {
					node.put(Key.of("k" + (10 + i)), new Entry.Live(Timestamp.ofMillis(10), 3, Entry.NEVER,
							Value.copyOf(new byte[] { (byte) i })));
				}
			}
			this.all.forEach((node) -> node.store.mostOnAPage = 2);
		}

	}

	@Test
	void aScanGoesOnByTheNextLayoutWithoutGapOrRepetition() {
		Nodes nodes = new Nodes();
		nodes.fill(7);
		this.lists.set(nodes.planned(1, 0, 1, 2));
		RangeScan scan = this.coordinator
			.scan(new ScanRequest(new ScanRequest.Wanted(ScanRange.ascending(Key.of("k"), null), false, Long.MAX_VALUE),
					Consistency.DEFAULT, LIMIT, this.admission.admit(0), new RequestTimeline(0)));
		List<Key> found = new ArrayList<>();
		StepVerifier.create(scan.nextPage()).consumeNextWith((page) -> add(page, found)).verifyComplete();
		nodes.fence.set(2);
		StepVerifier.create(this.outcome.of(scan.nextPage())).then(this.outcome::requireNone).then(() -> {
			this.lists.set(nodes.planned(2, 0, 1, 3));
			this.sweep.sweep();
		}).consumeNextWith((page) -> add(page, found)).verifyComplete();
		for (int pages = 0; pages < 4; pages++) {
			scan.nextPage().blockOptional(LIMIT).ifPresent((page) -> add(page, found));
		}
		scan.close();
		assertThat(found)
			.containsExactly(Stream.iterate(10, (i) -> i + 1).limit(7).map((i) -> Key.of("k" + i)).toArray(Key[]::new));
		assertThat(plannedAnew()).isEqualTo(1);
	}

	@Test
	void aScanDoesNotWaitForASilentNodeOfTheLayoutBefore() {
		Nodes nodes = new Nodes();
		nodes.fill(3);
		this.lists.set(nodes.planned(1, 0, 1, 2));
		nodes.lines.held.add("c");
		nodes.fence.set(2);
		nodes.unfenced = "a";
		RangeScan scan = this.coordinator
			.scan(new ScanRequest(new ScanRequest.Wanted(ScanRange.ascending(Key.of("k"), null), false, Long.MAX_VALUE),
					Consistency.DEFAULT, LIMIT, this.admission.admit(0), new RequestTimeline(0)));
		List<Key> found = new ArrayList<>();
		StepVerifier.create(this.outcome.of(scan.nextPage()))
			.then(this.outcome::requireNone)
			.then(() -> pass(Duration.ofMillis(Planner.RETRY_MILLIS)))
			.then(this.outcome::requireNone)
			.then(() -> {
				this.lists.set(nodes.planned(2, 0, 1, 3));
				this.sweep.sweep();
			})
			.consumeNextWith((page) -> add(page, found))
			.verifyComplete();
		scan.close();
		assertThat(found).startsWith(Key.of("k10"), Key.of("k11"));
	}

	@Test
	void aScanThatIsRefusedToTheEndFailsAtItsDeadline() {
		Nodes nodes = new Nodes();
		nodes.fill(3);
		nodes.fence.set(2);
		this.lists.set(nodes.planned(1, 0, 1, 2));
		RangeScan scan = this.coordinator
			.scan(new ScanRequest(new ScanRequest.Wanted(ScanRange.ascending(Key.of("k"), null), false, Long.MAX_VALUE),
					Consistency.DEFAULT, LIMIT, this.admission.admit(0), new RequestTimeline(0)));
		int before = nodes.lines.sent;
		StepVerifier.create(this.outcome.of(scan.nextPage()))
			.then(this.outcome::requireNone)
			.then(() -> pass(Duration.ofNanos(LIMIT.toNanos() - TimeUnit.MILLISECONDS.toNanos(1))))
			.then(this.outcome::requireNone)
			.then(() -> pass(Duration.ofMillis(1)))
			.expectErrorSatisfies((error) -> assertThat(error).hasMessageContaining("stale-layout"))
			.verify();
		scan.close();
		assertThat(nodes.lines.sent).as("nothing was read").isEqualTo(before);
		assertThat(this.sweep.pending()).isZero();
	}

	private static void add(List<RangeScan.Row> page, List<Key> found) {
		page.forEach((row) -> found.add(row.key()));
	}

}
