package io.quorate.spring.boot.store;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the failures of stores, for an application without meters. */
@AutoConfiguration
public final class QuorateStoreAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	StoreFailures quorateStoreFailures() {
		return new StoreFailures((store, operation) -> {
		});
	}

}
