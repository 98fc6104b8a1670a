package io.quorate.warmup;

import java.time.Duration;

import io.quorate.api.ScratchApi;
import io.quorate.clock.TimeSource;
import io.quorate.coordinator.CoordinatorProperties;
import io.quorate.coordinator.ScratchCoordinator;
import io.quorate.internode.ScratchReplicas;
import io.quorate.storage.ScratchStores;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Wires the room. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(WarmUpProperties.class)
class WarmUpConfiguration {

	/* Cold code is slow, but the start must not wait for as long as clients may ask. */
	private static final Duration MOST_PATIENCE = Duration.ofSeconds(10);

	@Bean
	WarmUp warmUp(WarmUpProperties properties, CoordinatorProperties coordinator, ScratchStores stores,
			ScratchReplicas replicas, ScratchCoordinator.Factory coordinators, ScratchApi api, TimeSource time) {
		Duration allowed = coordinator.maxTimeout();
		return new WarmUp(properties, (allowed.compareTo(MOST_PATIENCE) < 0) ? allowed : MOST_PATIENCE,
				() -> new ScratchCluster(stores, replicas, coordinators, api, time));
	}

}
