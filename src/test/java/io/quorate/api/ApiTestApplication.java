package io.quorate.api;

import java.util.List;

import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.clock.TimeSource;
import io.quorate.coordinator.Admission;
import io.quorate.coordinator.CoordinatorProperties;
import io.quorate.coordinator.KeyWaits;
import io.quorate.coordinator.ReplicationLatency;
import io.quorate.coordinator.ValueLimit;
import io.quorate.operations.AdminPath;
import io.quorate.operations.NodeLabel;
import io.quorate.repair.overview.PairState.Comparison;
import io.quorate.repair.overview.PairState.Hints;
import io.quorate.repair.overview.PairState.Purge;
import io.quorate.repair.overview.PairState;
import io.quorate.repair.overview.RepairOverview;
import io.quorate.repair.overview.RepairState;
import io.quorate.security.access.Gate;
import io.quorate.security.access.TestAccess;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.TestComponent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.FilterType;

/**
 * The room of the API alone, in front of a coordinator over a map. A test component, so
 * that the scan of the whole node does not find it.
 */
@Configuration(proxyBeanMethods = false)
@TestComponent
@EnableAutoConfiguration
@EnableConfigurationProperties(CoordinatorProperties.class)
@ComponentScan(basePackageClasses = ApiTestApplication.class,
		excludeFilters = @Filter(type = FilterType.ANNOTATION, classes = TestComponent.class))
class ApiTestApplication {

	static final int MAX_VALUE_BYTES = 1024 * 1024;

	static final long MAX_BYTES = 8L * 1024 * 1024;

	static final int MAX_REQUESTS = 64;

	@Bean
	InMemoryCoordinator coordinator() {
		return new InMemoryCoordinator();
	}

	@Bean
	Admission admission(MeterRegistry meters) {
		return new Admission(MAX_REQUESTS, MAX_BYTES, meters);
	}

	@Bean
	KeyWaits keyWaits(InMemoryCoordinator coordinator, Admission admission) {
		return new KeyWaits(coordinator, admission, coordinator.waitedNanos::get);
	}

	@Bean
	ScriptedChanges changes(InMemoryCoordinator coordinator) {
		return new ScriptedChanges(coordinator);
	}

	@Bean
	TimeSource timeSource() {
		return TimeSource.SYSTEM;
	}

	@Bean
	ReplicationLatency replicationLatency(MeterRegistry meters) {
		return new ReplicationLatency(meters, System::nanoTime);
	}

	@Bean
	RepairOverview repairOverview() {
		List<PairState> pairs = List.of(new PairState("n1", "up", new Hints(7, 700, 1.5),
				new Comparison(2.5, "n0", true, 10L, 20L), new Purge(3.5, "away", false)),
				new PairState("n2", "disconnected", null, null, null));
		return () -> new RepairState("n0", true, null, pairs);
	}

	@Bean
	AdminPath adminPath() {
		return new AdminPath("/actuator", true);
	}

	@Bean
	TestAccess access() {
		return TestAccess.open();
	}

	@Bean
	Gate gate(TestAccess access) {
		return access.gate;
	}

	@Bean
	NodeLabel nodeLabel() {
		return new NodeLabel("n<0>", "quorate&co", "1.2.3");
	}

	@Bean
	ReadFields readFields() {
		return new ReadFields();
	}

	@Bean
	ValueLimit valueLimit() {
		return new ValueLimit(MAX_VALUE_BYTES);
	}

}
