package io.quorate.coordinator;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.HybridClock;
import io.quorate.clock.NoCeiling;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.TrueTime;
import io.quorate.coordinator.QuorumNotReachedException.Said;
import io.quorate.coordinator.RangeScan.Row;
import io.quorate.entry.Entry;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import io.quorate.entry.Value;
import io.quorate.repair.HintSink;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests while a change of the layout is under way, by which replica d takes the place
 * of c.
 */
class JointRequestTests {

	private static final Duration LIMIT = Duration.ofMinutes(1);

	private static final Key KEY = Key.of("key");

	private static final WriteReply APPLIED = WriteReply.Applied.COMPLETE;

	private static final Entry OLD = ScriptedCluster.live(ScriptedCluster.NOW - 10, 3);

	private final ScriptedReplica a = new ScriptedReplica("a");

	private final ScriptedReplica b = new ScriptedReplica("b");

	private final ScriptedReplica c = new ScriptedReplica("c");

	private final ScriptedReplica d = new ScriptedReplica("d");

	private final MeterRegistry meters = new SimpleMeterRegistry();

	private final Admission admission = new Admission(10, 1000, this.meters);

	private final ScriptedSuspects suspects = new ScriptedSuspects();

	private final ScriptedTime time = new ScriptedTime();

	private final Outcome outcome = new Outcome();

	private final QuorumCoordinator coordinator = coordinator(new JointLists(
			new FixedLists(3, List.of(this.a, this.b, this.c)), new FixedLists(3, List.of(this.d, this.a, this.b))));

	private final ScriptedNetwork lines = new ScriptedNetwork();

	private final Map<String, MemoryReplica> nodes = Stream.of("a", "b", "c", "d")
		.collect(Collectors.toMap((name) -> name, (name) -> new MemoryReplica(name, this.lines)));

	private final QuorumCoordinator scanning = coordinator(new JointLists(nodes("a", "b", "c"), nodes("d", "a", "b")));

	private MemoryReplica node(String name) {
		return Objects.requireNonNull(this.nodes.get(name));
	}

	private FixedLists nodes(String... names) {
		return new FixedLists(names.length, Stream.of(names).<Replica>map(this::node).toList());
	}

	private QuorumCoordinator coordinator(PreferenceLists lists) {
		return new QuorumCoordinator(new HybridClock(() -> ScriptedCluster.NOW, 7, new NoCeiling(), 0),
				new ClusterView("a", () -> lists, this.suspects,
						new SkewJudge(() -> ScriptedCluster.NOW, System::nanoTime, ScriptedCluster.MAX_SKEW),
						new TrueTime(() -> ScriptedCluster.NOW, () -> 0), HintSink.FORGOTTEN),
				Integer.MAX_VALUE, this.meters, this.time.sweep);
	}

	/* On a busy machine a hedge would ask replicas that a test does not expect. */
	@BeforeEach
	void spendAllHedges() {
		while (this.coordinator.readServices().hedging().tryTake()) {
			assertThat(this.a.reads()).isZero();
		}
	}

	@AfterEach
	void close() {
		this.coordinator.close();
		this.scanning.close();
	}

	private RequestContext terms(Consistency consistency) {
		RequestContext any = ScriptedCluster.requestContext(1, 1, this.admission.admit(1));
		return new RequestContext(consistency, any.deadline(), any.permit(), any.timeline());
	}

	private Mono<Written> put() {
		return this.outcome.of(Mono.defer(() -> this.coordinator.put(KEY, Content.of(Value.copyOf(new byte[] { 1 })),
				terms(Consistency.DEFAULT))));
	}

	private static void hearNothingFrom(ScriptedReplica... replicas) {
		for (ScriptedReplica replica : replicas) {
			replica.answer(ScriptedCluster.ABSENT);
		}
	}

	private Mono<ReadOutcome> read() {
		return this.outcome.of(Mono.defer(() -> this.coordinator.read(KEY, terms(Consistency.DEFAULT))));
	}

	@Test
	void aWriteGoesToAllAndWaitsForTheQuorumOfEachSide() {
		StepVerifier.create(put()).then(() -> hearNothingFrom(this.a, this.b)).then(() -> {
			this.a.answer(APPLIED);
			this.c.answer(APPLIED);
		}).then(this.outcome::requireNone).then(() -> this.d.answer(APPLIED)).expectNextCount(1).verifyComplete();
		assertThat(this.b.applied()).isEqualTo(this.a.applied())
			.isEqualTo(this.c.applied())
			.isEqualTo(this.d.applied());
		assertThat(this.d.applied()).extracting(Entry::from).containsExactly(3);
		StepVerifier.create(put()).then(() -> hearNothingFrom(this.a, this.b)).then(() -> {
			this.a.answer(APPLIED);
			this.d.answer(APPLIED);
		}).then(this.outcome::requireNone).then(() -> this.c.answer(APPLIED)).expectNextCount(1).verifyComplete();
	}

	private static void requireNewerThanTheOther(Written written) {
		assertThat(written.timestamp().millis()).isGreaterThanOrEqualTo(ScriptedCluster.NOW + 5);
	}

	/* Which of them will answer is not known. */
	@ParameterizedTest
	@ValueSource(strings = { "a", "c", "d" })
	void aWriteWithASuspectHearsTheTimestampsFirst(String suspect) {
		this.suspects.suspect(suspect);
		StepVerifier.create(put()).then(() -> {
			assertThat(this.b.applied()).isEmpty();
			hearNothingFrom((suspect.equals("a") ? new ScriptedReplica[] { this.b, this.c, this.d }
					: new ScriptedReplica[] { this.a, this.b }));
		}).then(() -> {
			this.b.answer(APPLIED);
			(suspect.equals("d") ? this.c : this.d).answer(APPLIED);
			(suspect.equals("a") ? this.c : this.a).answer(APPLIED);
		}).expectNextCount(1).verifyComplete();
	}

	@Test
	void aWriteFailsAsSoonAsOneSideCannotReachItsQuorum() {
		StepVerifier.create(put()).then(() -> hearNothingFrom(this.a, this.b)).then(() -> {
			this.a.answer(APPLIED);
			this.c.answer(APPLIED);
			this.b.answer(ScriptedCluster.failed(Reason.FAILED));
			this.d.answer(ScriptedCluster.failed(Reason.FAILED));
		}).expectErrorSatisfies((error) -> {
			QuorumNotReachedException failure = (QuorumNotReachedException) error;
			assertThat(failure.replicas()).containsExactly(new Said("a", "ack"), new Said("b", "failed"),
					new Said("c", "ack"), new Said("d", "failed"));
			assertThat(failure)
				.hasMessageStartingWith("2 of the 3 replicas after the change of the layout had to answer, 1 did: ");
		}).verify();
	}

	@Test
	void aDeletionGoesToAllReplicasOfEitherSide() {
		StepVerifier
			.create(this.outcome.of(Mono.defer(() -> this.coordinator.delete(KEY, terms(new Consistency(1, 1))))))
			.then(() -> hearNothingFrom(this.a, this.d))
			.then(() -> {
				this.a.answer(APPLIED);
				this.b.answer(APPLIED);
				this.c.answer(APPLIED);
			})
			.then(this.outcome::requireNone)
			.then(() -> this.d.answer(APPLIED))
			.expectNextCount(1)
			.verifyComplete();
	}

	@Test
	void theTimestampsOfEachSideAreHeardBeforeAWriteGetsItsOwn() {
		StepVerifier.create(put()).then(() -> {
			this.a.answer(ScriptedCluster.ABSENT);
			this.d.answer(ScriptedCluster.found(ScriptedCluster.live(ScriptedCluster.NOW + 5, 3)));
		}).then(() -> assertThat(this.a.applied()).as("of a alone, of before").isEmpty()).then(() -> {
			this.b.answer(ScriptedCluster.ABSENT);
			this.a.answer(APPLIED);
			this.b.answer(APPLIED);
		}).assertNext(JointRequestTests::requireNewerThanTheOther).verifyComplete();
	}

	@Test
	void theTimestampsOfTheSideAfterAreHeardToo() {
		StepVerifier.create(put()).then(() -> {
			this.a.answer(ScriptedCluster.ABSENT);
			this.c.answer(ScriptedCluster.ABSENT);
		}).then(() -> assertThat(this.a.applied()).as("of a alone, of after").isEmpty()).then(() -> {
			this.d.answer(ScriptedCluster.ABSENT);
			this.a.answer(APPLIED);
			this.c.answer(APPLIED);
			this.d.answer(APPLIED);
		}).expectNextCount(1).verifyComplete();
	}

	@Test
	void aWriteThatOneSideTakesBeforeAndOneBehindANewerOneIsDone() {
		StepVerifier.create(put()).then(() -> hearNothingFrom(this.a, this.b)).then(() -> {
			this.a.answer(ScriptedCluster.superseded(ScriptedCluster.NOW + 5));
			this.c.answer(ScriptedCluster.superseded(ScriptedCluster.NOW + 5));
			this.b.answer(APPLIED);
			this.d.answer(APPLIED);
		}).expectNextCount(1).verifyComplete();
		assertThat(this.a.applied()).as("attempts").hasSize(1);
	}

	/*
	 * A replica that has just joined takes nothing yet. Were the entry sent to the
	 * others, and a concurrent write to all before that one takes it, its outcome would
	 * be unknown.
	 */
	@ParameterizedTest
	@EnumSource(names = { "STALE_LAYOUT", "LAYOUT_BEHIND" })
	void aWriteIsSentWhenItsOrderIsKnown(Reason reason) {
		StepVerifier.create(put()).then(() -> {
			hearNothingFrom(this.a, this.c);
			this.b.answer(ScriptedCluster.unreadable(reason));
			this.d.answer(ScriptedCluster.unreadable(reason));
		}).then(this.outcome::requireNone).then(() -> {
			assertThat(this.a.applied()).as("a would hold what d refuses").isEmpty();
			this.time.pass(Duration.ofMillis(Planner.RETRY_MILLIS));
			hearNothingFrom(this.a, this.d);
			assertThat(this.a.applied()).as("of a alone, of before").isEmpty();
			hearNothingFrom(this.b);
			Stream.of(this.a, this.b, this.c, this.d)
				.forEach((replica) -> replica.answer(ScriptedCluster.superseded(ScriptedCluster.NOW + 5)));
		}).as("the newer one is of a concurrent write").expectNextCount(1).verifyComplete();
		assertThat(this.a.applied()).as("attempts").hasSize(1).isEqualTo(this.d.applied());
	}

	@Test
	void aWriteOfUnknownOrderIsRefusedAtItsDeadline() {
		StepVerifier.create(put()).then(() -> {
			hearNothingFrom(this.a, this.c);
			this.b.answer(ScriptedCluster.unreadable(Reason.LAYOUT_BEHIND));
			this.d.answer(ScriptedCluster.unreadable(Reason.LAYOUT_BEHIND));
		})
			.then(this.outcome::requireNone)
			.then(() -> this.time.pass(ScriptedCluster.LIMIT))
			.verifyError(RefusedException.class);
		assertThat(this.a.applied()).as("nothing is written").isEmpty();
	}

	/* Their acks put it in order: b is read again later than it takes writes. */
	@Test
	void aWriteThatHasAQuorumWithoutThoseOfAnotherLayoutIsSent() {
		StepVerifier.create(put()).then(() -> {
			hearNothingFrom(this.a, this.c);
			this.b.answer(ScriptedCluster.unreadable(Reason.REBUILDING));
			this.d.answer(ScriptedCluster.unreadable(Reason.LAYOUT_BEHIND));
			this.d.answer(ScriptedCluster.failed(Reason.LAYOUT_BEHIND));
			Stream.of(this.a, this.b).forEach((replica) -> replica.answer(APPLIED));
		}).expectNextCount(1).verifyComplete();
	}

	@Test
	void aReplicaOfAnotherLayoutDelaysNoWrite() {
		StepVerifier.create(put()).then(() -> {
			this.d.answer(ScriptedCluster.unreadable(Reason.LAYOUT_BEHIND));
			hearNothingFrom(this.a, this.b);
			Stream.of(this.a, this.b).forEach((replica) -> replica.answer(APPLIED));
		}).expectNextCount(1).verifyComplete();
	}

	@Test
	void aSuspectThatIsOfBothSidesIsAskedLast() {
		this.suspects.suspect("b");
		StepVerifier.create(read())
			.then(() -> hearNothingFrom(this.a, this.c, this.d))
			.expectNext(new ReadOutcome.Missing())
			.verifyComplete();
		assertThat(this.b.reads()).isZero();
	}

	@Test
	void aReadAsksThoseOfBothSidesFirst() {
		StepVerifier.create(read()).then(() -> {
			this.a.answer(ScriptedCluster.ABSENT);
			this.b.answer(ScriptedCluster.ABSENT);
		}).expectNext(new ReadOutcome.Missing()).verifyComplete();
		assertThat(this.c.reads() + this.d.reads()).isZero();
	}

	@Test
	void inPlaceOfAFailedReplicaOneOfEachSideIsAsked() {
		StepVerifier.create(read()).then(() -> {
			this.a.answer(ScriptedCluster.found(OLD));
			this.b.answer(ScriptedCluster.unreadable(Reason.DISCONNECTED));
			this.c.answer(ScriptedCluster.found(OLD));
		})
			.then(this.outcome::requireNone)
			.then(() -> this.d.answer(ScriptedCluster.found(OLD)))
			.expectNext(new ReadOutcome.Found((Entry.Live) OLD))
			.verifyComplete();
	}

	@Test
	void anEntryIsAnsweredOnceAQuorumOfEachSideHoldsIt() {
		StepVerifier.create(read()).then(() -> {
			this.a.answer(ScriptedCluster.ABSENT);
			this.b.answer(ScriptedCluster.unreadable(Reason.DISCONNECTED));
			this.c.answer(ScriptedCluster.found(OLD));
			this.d.answer(ScriptedCluster.ABSENT);
		})
			.then(() -> this.a.answer(APPLIED))
			.then(this.outcome::requireNone)
			.then(() -> this.d.answer(APPLIED))
			.expectNext(new ReadOutcome.Found((Entry.Live) OLD))
			.verifyComplete();
		assertThat(this.d.applied()).containsExactly(OLD);
	}

	@Test
	void aScanFindsTheKeysOfEitherSide() {
		node("c").put(Key.of("k1"), OLD);
		node("d").put(Key.of("k2"), OLD);
		requireKeys("k1", "k2");
		this.lines.down.addAll(List.of("c", "d"));
		requireKeys("k1", "k2");
		assertThat(node("a").entries).as("repaired").hasSize(2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "c", "d" })
	void aScanNeedsTheNodesOfEachSide(String alone) {
		this.lines.down.addAll(List.of("b", alone));
		StepVerifier.create(scan()).as("of no key").verifyError(QuorumNotReachedException.class);
	}

	@ParameterizedTest
	@ValueSource(strings = { "c", "d" })
	void aScanNeedsAnAnswerOfEachSideThatIsBelieved(String unbelieved) {
		node("a").put(Key.of("k1"), OLD);
		this.lines.down.add("b");
		requireKeys("k1");
		node(unbelieved).put(Key.of("k1"),
				ScriptedCluster.live(ScriptedCluster.NOW + ScriptedCluster.MAX_SKEW.multipliedBy(2).toMillis(), 3));
		StepVerifier.create(scan()).verifyError(QuorumNotReachedException.class);
	}

	/* Two of three, and three of four. */
	@Test
	void theMajorityOfAScanCountsByTheFactorOfEachSide() {
		node("a").put(Key.of("k1"), OLD);
		this.lines.down.add("c");
		try (QuorumCoordinator growing = coordinator(new JointLists(nodes("a", "b", "c"), nodes("a", "b", "c", "d")))) {
			requireKeys(growing, "k1");
		}
	}

	private void requireKeys(String... keys) {
		requireKeys(this.scanning, keys);
	}

	private void requireKeys(QuorumCoordinator scanned, String... keys) {
		StepVerifier.create(scan(scanned))
			.assertNext((rows) -> assertThat(rows).extracting((row) -> row.key().toString()).containsExactly(keys))
			.verifyComplete();
	}

	private Mono<List<Row>> scan() {
		return scan(this.scanning);
	}

	private Mono<List<Row>> scan(QuorumCoordinator scanned) {
		return scanned
			.scan(new ScanRequest(new ScanRequest.Wanted(ScanRange.ascending(Key.of("a"), null), false, Long.MAX_VALUE),
					Consistency.DEFAULT, LIMIT, this.admission.admit(0), new RequestTimeline(0)))
			.nextPage();
	}

}
