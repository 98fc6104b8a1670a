package io.quorate.operations;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.membership.reports.NodeVersion;
import org.junit.jupiter.api.Test;
import org.mockito.Answers;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroup;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.health.registry.DefaultHealthContributorRegistry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

class NodeMetricsTests {

	private final Map<String, Status> answers = new HashMap<>();

	private final StartTime start = new StartTime();

	private final MeterRegistry registry = new SimpleMeterRegistry();

	NodeMetricsTests() {
		DefaultHealthContributorRegistry probes = new DefaultHealthContributorRegistry();
		for (String group : List.of("readiness", "liveness")) {
			HealthIndicator indicator = () -> Health.status(this.answers.getOrDefault(group, Status.UNKNOWN)).build();
			probes.registerContributor(group, indicator);
		}
		HealthEndpointGroup all = mock(HealthEndpointGroup.class, Answers.RETURNS_DEEP_STUBS);
		given(all.isMember(anyString())).willReturn(true);
		HealthEndpoint health = new HealthEndpoint(probes, null, HealthEndpointGroups.of(all, Map.of()),
				Duration.ofMinutes(1));
		new NodeMetrics(health, new NodeVersion("1.2.3"), this.start).bindTo(this.registry);
	}

	@Test
	void readinessAndLivenessAreThoseOfTheProbes() {
		answer("readiness", Status.OUT_OF_SERVICE);
		answer("liveness", Status.UP);
		assertThat(gauge("quorate.ready")).isZero();
		assertThat(gauge("quorate.live")).isOne();
		answer("readiness", Status.UP);
		answer("liveness", Status.DOWN);
		assertThat(gauge("quorate.ready")).isOne();
		assertThat(gauge("quorate.live")).isZero();
	}

	private void answer(String group, Status status) {
		this.answers.put(group, status);
	}

	@Test
	void theVersionIsATag() {
		assertThat(this.registry.get("quorate.info").tag("version", "1.2.3").gauge().value()).isOne();
	}

	@Test
	void aStartEndsWhenTheNodeServesAndHasMetAMajority() {
		ApplicationReadyEvent serving = mock(ApplicationReadyEvent.class);
		assertThat(gauge("quorate.start")).isNaN();
		this.start.onApplicationEvent(serving);
		assertThat(gauge("quorate.start")).isNaN();
		this.start.majorityMet();
		double seconds = gauge("quorate.start");
		assertThat(seconds).isPositive();
		this.start.majorityMet();
		assertThat(gauge("quorate.start")).as("once").isEqualTo(seconds);
	}

	@Test
	void aMajorityMayBeMetBeforeTheNodeServes() {
		this.start.majorityMet();
		assertThat(gauge("quorate.start")).isNaN();
		this.start.onApplicationEvent(mock(ApplicationReadyEvent.class));
		assertThat(gauge("quorate.start")).isPositive();
	}

	private double gauge(String name) {
		return this.registry.get(name).gauge().value();
	}

}
