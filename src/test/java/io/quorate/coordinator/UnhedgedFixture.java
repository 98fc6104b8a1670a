package io.quorate.coordinator;

import java.time.Duration;

import org.junit.jupiter.api.BeforeEach;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Reads of a coordinator that hedges none of them, unless a test earns a hedge: on a busy
 * machine it would ask replicas that a test does not expect.
 */
abstract class UnhedgedFixture extends ScriptedCluster {

	/* At least the delay of a coordinator that has measured no latencies. */
	static final Duration HEDGE_DELAY = Duration.ofMillis(10);

	@BeforeEach
	void spendAllHedges() {
		while (this.coordinator.readServices().hedging().tryTake()) {
			assertThat(this.a.reads()).isZero();
		}
	}

	Mono<ReadOutcome> read(int ack, int from) {
		return read(ack, from, LIMIT);
	}

	Mono<ReadOutcome> read(int ack, int from, Duration timeout) {
		return this.outcome.of(Mono
			.defer(() -> this.coordinator.read(KEY, requestContext(ack, from, timeout, this.admission.admit(0)))));
	}

	Mono<ReadOutcome> read(int ack, int from, Admission.Permit permit) {
		return this.outcome.of(Mono.defer(() -> this.coordinator.read(KEY, requestContext(ack, from, permit))));
	}

}
