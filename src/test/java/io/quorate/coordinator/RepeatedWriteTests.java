package io.quorate.coordinator;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.clock.HybridClock;
import io.quorate.clock.NoCeiling;
import io.quorate.clock.SkewJudge;
import io.quorate.clock.Timestamp;
import io.quorate.entry.Value;
import io.quorate.repair.HintSink;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.WriteReply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Writes that are under way when members adopt the layout by which replica d takes the
 * place of c, while a concurrent write to the key gets between their attempts.
 */
class RepeatedWriteTests {

	private static final WriteReply APPLIED = WriteReply.Applied.COMPLETE;

	private static final WriteReply STALE = ScriptedCluster.failed(Reason.STALE_LAYOUT);

	private final ScriptedReplica a = new ScriptedReplica("a");

	private final ScriptedReplica b = new ScriptedReplica("b");

	private final ScriptedReplica c = new ScriptedReplica("c");

	private final ScriptedReplica d = new ScriptedReplica("d");

	private final FixedLists before = new FixedLists(3, List.of(this.a, this.b, this.c));

	private final FixedLists after = new FixedLists(3, List.of(this.d, this.a, this.b));

	private final PreferenceLists joint = new JointLists(this.before, this.after);

	private final AtomicReference<PreferenceLists> lists = new AtomicReference<>(this.before);

	private final MeterRegistry meters = new SimpleMeterRegistry();

	private final Admission admission = new Admission(10, 1000, this.meters);

	private final ScriptedSuspects suspects = new ScriptedSuspects();

	private final ScriptedTime time = new ScriptedTime();

	private final Outcome outcome = new Outcome();

	private final QuorumCoordinator coordinator = new QuorumCoordinator(
			new HybridClock(() -> ScriptedCluster.NOW, 7, new NoCeiling(), 0),
			new ClusterView("a", this.lists::get, this.suspects,
					new SkewJudge(() -> ScriptedCluster.NOW, System::nanoTime, ScriptedCluster.MAX_SKEW),
					HintSink.FORGOTTEN),
			Integer.MAX_VALUE, this.meters, this.time.sweep);

	@AfterEach
	void close() {
		this.coordinator.close();
	}

	private Mono<Written> put() {
		return this.outcome
			.of(Mono.defer(() -> this.coordinator.put(ScriptedCluster.KEY, Content.of(Value.copyOf(new byte[] { 1 })),
					ScriptedCluster.requestContext(2, 3, this.admission.admit(1)))));
	}

	/**
	 * A write whose first attempt some replicas have taken and others refused, when this
	 * node adopts the next layout.
	 */
	private StepVerifier.Step<Written> interrupted(List<ScriptedReplica> takers, List<ScriptedReplica> refusers,
			PreferenceLists later) {
		return StepVerifier.create(put()).then(() -> {
			takers.forEach((replica) -> replica.answer(APPLIED));
			refusers.forEach((replica) -> replica.answer(STALE));
			this.lists.set(later);
			this.time.sweep.sweep();
		});
	}

	private static void supersede(ScriptedReplica... replicas) {
		Stream.of(replicas).forEach((replica) -> replica.answer(ScriptedCluster.superseded(ScriptedCluster.NOW + 5)));
	}

	@Test
	void aWriteThatTooFewHeldGetsANewTimestamp() {
		interrupted(List.of(this.a), List.of(this.b, this.c), this.joint)
			.then(() -> supersede(this.a, this.b, this.c, this.d))
			.then(() -> {
				assertThat(this.b.applied()).as("attempts").hasSize(3);
				Stream.of(this.a, this.b, this.d).forEach((replica) -> replica.answer(APPLIED));
			})
			.assertNext((written) -> assertThat(written.timestamp().millis())
				.isGreaterThanOrEqualTo(ScriptedCluster.NOW + 5))
			.verifyComplete();
		assertThat(this.b.reads()).as("it is known that b never held it").isZero();
		assertThat(this.b.applied().subList(0, 2)).containsOnly(this.a.applied().getFirst());
	}

	/* A majority of a, b and c may have held it, and a read may have found it there. */
	@Test
	void aWriteThatASilentReplicaMayHoldKeepsItsTimestamp() {
		interrupted(List.of(this.a), List.of(this.c), this.joint).then(() -> supersede(this.a, this.b, this.c, this.d))
			.then(() -> this.b.answer(ScriptedCluster.ABSENT))
			.verifyError(QuorumNotReachedException.class);
		assertThat(this.a.applied()).as("attempts").hasSize(2);
	}

	static List<WriteReply> repliesOfReplicasThatMayHoldAWrite() {
		long future = ScriptedCluster.NOW + 2 * ScriptedCluster.MAX_SKEW.toMillis();
		return List.of(ScriptedCluster.failed(Reason.TIMEOUT), ScriptedCluster.failed(Reason.FAILED),
				new WriteReply.Superseded(Timestamp.ofMillis(ScriptedCluster.NOW + 1), false),
				new WriteReply.Superseded(Timestamp.ofMillis(future), false));
	}

	@ParameterizedTest
	@MethodSource("repliesOfReplicasThatMayHoldAWrite")
	void aWriteThatAReplicaMayHoldKeepsItsTimestamp(WriteReply reply) {
		interrupted(List.of(this.a), List.of(this.c), this.joint).then(() -> {
			this.b.answer(0, reply);
			if (reply instanceof WriteReply.Superseded) {
				this.b.answer(ScriptedCluster.found(ScriptedCluster.live(ScriptedCluster.NOW + 1, 3)));
			}
		})
			.then(() -> supersede(this.a, this.b, this.c, this.d))
			.then(() -> this.b.answer(ScriptedCluster.ABSENT))
			.verifyError(QuorumNotReachedException.class);
		assertThat(this.a.applied()).as("attempts").hasSize(2);
	}

	/* It may lack the write that is newer, which it has acknowledged. */
	@Test
	void theAckOfAReplicaThatMayHaveLostWritesDoesNotStay() {
		interrupted(List.of(this.a), List.of(this.c), this.joint)
			.then(() -> this.b.answer(0, WriteReply.Applied.INCOMPLETE))
			.then(() -> supersede(this.a, this.b))
			.then(this.outcome::requireNone)
			.then(() -> {
				this.b.answer(ScriptedCluster.found(this.b.applied().getLast()));
				this.d.answer(STALE);
			})
			.as("it has nothing newer than this very entry")
			.expectNextCount(1)
			.verifyComplete();
	}

	@Test
	void aReplicaThatRefusesAWriteLateHasNeverHeldIt() {
		interrupted(List.of(this.a), List.of(this.c), this.joint).then(() -> this.b.answer(0, STALE))
			.then(() -> supersede(this.a, this.b, this.c, this.d))
			.then(() -> Stream.of(this.a, this.b, this.d).forEach((replica) -> replica.answer(APPLIED)))
			.expectNextCount(1)
			.verifyComplete();
	}

	/* It was newer than all that they held, whatever they have taken since. */
	@Test
	void acksOfAnEarlierAttemptPutAWriteInOrder() {
		interrupted(List.of(this.a), List.of(this.c), this.joint).then(() -> this.b.answer(0, APPLIED))
			.then(() -> supersede(this.c, this.a))
			.then(this.outcome::requireNone)
			.then(() -> supersede(this.b))
			.expectNextCount(1)
			.verifyComplete();
		assertThat(this.a.applied()).as("attempts").hasSize(2);
		assertThat(this.a.reads()).isZero();
	}

	/* By the layout after, what d lacked when it took the write may count. */
	@Test
	void acksByASideThatIsGonePutNoWriteInOrder() {
		this.lists.set(this.joint);
		this.suspects.suspect("b");
		this.suspects.suspect("c");
		interrupted(List.of(this.a, this.d), List.of(this.b, this.c), this.after).then(() -> supersede(this.a, this.d))
			.then(() -> Stream.of(this.a, this.d)
				.forEach((replica) -> replica
					.answer(ScriptedCluster.found(ScriptedCluster.live(ScriptedCluster.NOW + 5, 3)))))
			.verifyError(QuorumNotReachedException.class);
	}

	/*
	 * By the joint layout a and d alone were asked of the side after. But a read by the
	 * one before may have found the entry at a and c.
	 */
	@Test
	void aWriteThatTheSideBeforeMayHoldKeepsItsTimestamp() {
		this.lists.set(this.joint);
		this.suspects.suspect("d");
		this.suspects.suspect("b");
		interrupted(List.of(this.a, this.c), List.of(this.b, this.d), this.after).then(() -> supersede(this.b, this.d))
			.verifyError(QuorumNotReachedException.class);
	}

}
