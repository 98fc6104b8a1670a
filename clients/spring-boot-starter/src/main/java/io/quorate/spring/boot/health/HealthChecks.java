package io.quorate.spring.boot.health;

import java.time.Duration;
import java.util.function.UnaryOperator;

import io.quorate.client.CallOptions;
import io.quorate.client.FailedAttempt;
import io.quorate.client.NodeStatus;
import io.quorate.client.QuorateException;
import org.springframework.boot.health.contributor.Health;

/** The request of a health check, and the meaning of its answer. */
final class HealthChecks {

	private static final String READY = "ready";

	/* Two nodes that are silent leave time for a third one. */
	private static final int ATTEMPTS = 3;

	private HealthChecks() {
	}

	static UnaryOperator<CallOptions> within(Duration timeout) {
		Duration share = timeout.dividedBy(ATTEMPTS);
		return (options) -> options.deadline(timeout).stallTimeout(share.isZero() ? timeout : share);
	}

	static Health of(NodeStatus status) {
		Health.Builder health = READY.equals(status.state()) ? Health.up() : Health.outOfService();
		return health.withDetail("endpoint", status.endpoint())
			.withDetail("node", status.node())
			.withDetail("cluster", status.cluster())
			.withDetail("version", status.version())
			.withDetail("state", status.state())
			.build();
	}

	static Health of(QuorateException failure) {
		Health.Builder health = Health.down(failure);
		if (!failure.failures().isEmpty()) {
			health.withDetail("attempts", failure.failures().stream().map(FailedAttempt::toString).toList());
		}
		return health.build();
	}

}
