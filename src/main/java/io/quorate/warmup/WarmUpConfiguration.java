package io.quorate.warmup;

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

	@Bean
	WarmUp warmUp(WarmUpProperties properties, CoordinatorProperties coordinator, ScratchStores stores,
			ScratchReplicas replicas, ScratchCoordinator.Factory coordinators, ScratchApi api, TimeSource time) {
		return new WarmUp(properties, coordinator.maxTimeout(),
				() -> new ScratchCluster(stores, replicas, coordinators, api, time));
	}

}
