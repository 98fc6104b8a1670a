package io.quorate.spring.boot.health;

import java.time.Duration;

import io.quorate.client.QuorateException;
import io.quorate.client.reactor.QuorateReactiveClient;
import org.springframework.boot.health.contributor.AbstractReactiveHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import reactor.core.publisher.Mono;

/** The reactive form of {@link QuorateHealthIndicator}: it blocks no thread. */
public class QuorateReactiveHealthIndicator extends AbstractReactiveHealthIndicator {

	private final QuorateReactiveClient client;

	private final Duration timeout;

	/**
	 * Creates an indicator.
	 * @param client the client to ask with
	 * @param timeout the time for one check
	 */
	public QuorateReactiveHealthIndicator(QuorateReactiveClient client, Duration timeout) {
		super("The health check of Quorate has failed");
		this.client = client;
		this.timeout = timeout;
	}

	@Override
	protected Mono<Health> doHealthCheck(Health.Builder builder) {
		return this.client.status(HealthChecks.within(this.timeout))
			.map(HealthChecks::of)
			.onErrorResume(QuorateException.class, (failure) -> Mono.just(HealthChecks.of(failure)));
	}

}
