package io.quorate.spring.boot.health;

import java.time.Duration;

import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * A health indicator that asks the first node that answers for its status. It reads and
 * writes no key: it says that the application reaches a node, not that a majority of
 * replicas answers for every key.
 */
public class QuorateHealthIndicator extends AbstractHealthIndicator {

	private final QuorateClient client;

	private final Duration timeout;

	/**
	 * Creates an indicator.
	 * @param client the client to ask with
	 * @param timeout the time for one check
	 */
	public QuorateHealthIndicator(QuorateClient client, Duration timeout) {
		super("The health check of Quorate has failed");
		this.client = client;
		this.timeout = timeout;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		Health health;
		try {
			health = HealthChecks.of(this.client.status(HealthChecks.within(this.timeout)));
		}
		catch (QuorateException failure) {
			health = HealthChecks.of(failure);
		}
		builder.status(health.getStatus()).withDetails(health.getDetails());
	}

}
