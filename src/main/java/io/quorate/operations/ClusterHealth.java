package io.quorate.operations;

import java.util.LinkedHashMap;
import java.util.Map;

import io.quorate.clock.SkewJudge;
import io.quorate.membership.Membership;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * Whether this node may coordinate: it has met a majority of the members since its start,
 * and its clock is believed. That peers have gone since is a detail, and no reason to
 * send clients elsewhere.
 */
@Component("clusterHealthIndicator")
final class ClusterHealth implements HealthIndicator {

	private final Membership membership;

	private final SkewJudge judge;

	ClusterHealth(Membership membership, SkewJudge judge) {
		this.membership = membership;
		this.judge = judge;
	}

	boolean isReady() {
		return this.membership.hasMetMajority() && !this.judge.refusesOwnClock();
	}

	@Override
	public Health health() {
		Map<String, Object> members = new LinkedHashMap<>();
		this.membership.states().forEach((member, state) -> members.put(member, state.word()));
		return (isReady() ? Health.up() : Health.down()).withDetail("members", members)
			.withDetail("metMajority", this.membership.hasMetMajority())
			.withDetail("clockBelieved", !this.judge.refusesOwnClock())
			.build();
	}

}
