package io.quorate.spring.boot.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.client.QuorateClient;
import io.quorate.spring.boot.autoconfigure.QuorateAutoConfiguration;
import io.quorate.spring.boot.store.QuorateStoreAutoConfiguration;
import io.quorate.spring.boot.store.StoreFailures;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the meters of the clients. */
@AutoConfiguration(before = { QuorateAutoConfiguration.class, QuorateStoreAutoConfiguration.class },
		afterName = { "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
				"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration" })
@ConditionalOnClass({ QuorateClient.class, MeterRegistry.class })
@ConditionalOnSingleCandidate(MeterRegistry.class)
public final class QuorateMetricsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	CallMeters quorateCallMeters(MeterRegistry registry) {
		return new CallMeters(registry);
	}

	@Bean
	@ConditionalOnMissingBean
	StoreFailures quorateStoreFailures(MeterRegistry registry) {
		return new StoreFailures((store, operation) -> Counter.builder(StoreFailures.METER)
			.description("Failures of the store that a cache or the sessions have swallowed")
			.tags("store", store, "operation", operation)
			.register(registry)
			.increment());
	}

}
