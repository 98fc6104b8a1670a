package io.quorate.coordinator;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Timer;
import io.quorate.entry.Value;
import io.quorate.replica.Failure.Reason;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;

/** The outcomes of writes, and the replies after which a write counts as each of them. */
class ReplicationLatencyTests extends ScriptedCluster {

	private static final Value VALUE = Value.copyOf(new byte[] { 1, 2, 3 });

	@Test
	void aWriteIsEverywhereWhenItsLastReplicaHasIt() {
		this.a.answeringAtOnce(APPLIED);
		this.b.answeringAtOnce(APPLIED);
		StepVerifier.create(put(2, 3)).expectNextCount(1).verifyComplete();
		assertThat(recent()).extracting(ReplicationLatency.Recent::count, ReplicationLatency.Recent::median)
			.as("answered, and not there yet")
			.containsExactly(0L, null);
		this.time.pass(Duration.ofMillis(20));
		this.c.answer(APPLIED);
		assertThat(recent().count()).isOne();
		assertThat(recent().median()).isBetween(Duration.ofMillis(20), LIMIT).isEqualTo(recent().p99());
		assertThat(timer().count()).isOne();
		assertThat(timer().max(TimeUnit.MILLISECONDS)).isGreaterThanOrEqualTo(20);
		assertCounts(1, 0, 0);
	}

	@Test
	void onlyTheReplicasOfItsCopiesCount() {
		this.a.answeringAtOnce(APPLIED);
		StepVerifier.create(put(1, 1)).expectNextCount(1).verifyComplete();
		assertCounts(1, 0, 0);
	}

	@Test
	void aDeletionIsEverywhereWhenAllThatMayHoldTheKeyHaveIt() {
		this.a.answeringAtOnce(APPLIED);
		this.b.answeringAtOnce(APPLIED);
		StepVerifier.create(delete(1, 1)).expectNextCount(1).verifyComplete();
		assertCounts(0, 0, 0);
		this.c.answer(APPLIED);
		assertCounts(1, 0, 0);
	}

	@Test
	void aWriteThatAReplicaMissesHasNoLatency() {
		for (Reason reason : new Reason[] { Reason.DISCONNECTED, Reason.TIMEOUT, Reason.OVERLOADED }) {
			StepVerifier.create(put(2, 3))
				.then(() -> this.c.answer(failed(reason)))
				.then(() -> this.a.answer(APPLIED))
				.then(() -> this.b.answer(APPLIED))
				.expectNextCount(1)
				.verifyComplete();
		}
		assertCounts(0, 3, 0);
		assertThat(timer().count()).isZero();
	}

	@Test
	void aWriteThatNoReplicaMayHoldIsNotCounted() {
		StepVerifier.create(put(1, 3))
			.then(() -> this.a.answer(failed(Reason.OVERLOADED)))
			.then(() -> this.b.answer(failed(Reason.DISCONNECTED)))
			.then(() -> this.c.answer(failed(Reason.DISK_FULL)))
			.verifyError();
		assertCounts(0, 0, 0);
	}

	@Test
	void aSupersededWriteIsCountedSeparately() {
		StepVerifier.create(put(1, 3))
			.then(() -> this.a.answer(APPLIED))
			.then(() -> this.b.answer(superseded(NOW + 5)))
			.then(() -> this.c.answer(APPLIED))
			.expectNextCount(1)
			.verifyComplete();
		assertCounts(0, 0, 1);
	}

	@Test
	void aWriteThatIsStampedAnewIsEverywhereWithItsLastStamp() {
		StepVerifier.create(put(2, 3))
			.then(() -> this.a.answer(APPLIED))
			.then(() -> this.b.answer(superseded(NOW + 5)))
			.then(() -> this.c.answer(superseded(NOW + 5)))
			.then(() -> this.a.answer(APPLIED))
			.then(() -> this.b.answer(APPLIED))
			.expectNextCount(1)
			.verifyComplete();
		assertCounts(0, 0, 1);
		this.c.answer(APPLIED);
		assertCounts(1, 0, 1);
	}

	private void assertCounts(int everywhere, int missed, int superseded) {
		assertThat(recent())
			.extracting(ReplicationLatency.Recent::count, ReplicationLatency.Recent::missed,
					ReplicationLatency.Recent::superseded)
			.containsExactly((long) everywhere, (long) missed, (long) superseded);
		assertThat(timer().count()).isEqualTo(everywhere);
	}

	private ReplicationLatency.Recent recent() {
		return this.coordinator.spread().recent();
	}

	private Timer timer() {
		return this.meters.get("quorate.coordinator.spread").timer();
	}

	private Mono<Written> put(int ack, int from) {
		return Mono.defer(() -> this.coordinator.put(KEY, Content.of(VALUE),
				requestContext(ack, from, this.admission.admit(VALUE.size()))));
	}

	private Mono<Written> delete(int ack, int from) {
		return Mono.defer(() -> this.coordinator.delete(KEY, requestContext(ack, from, this.admission.admit(0))));
	}

}
