package io.quorate.spring.boot.lock;

import io.quorate.client.QuorateClient;
import io.quorate.spring.boot.autoconfigure.QuorateAutoConfiguration;
import io.quorate.spring.boot.autoconfigure.QuorateProperties;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.LockRegistry;

/** Auto-configuration of the locks, for an application that asks for them. */
@AutoConfiguration(after = QuorateAutoConfiguration.class)
@ConditionalOnBooleanProperty("quorate.client.lock.enabled")
@ConditionalOnClass(LockRegistry.class)
@ConditionalOnSingleCandidate(QuorateClient.class)
public final class QuorateLockAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(LockRegistry.class)
	QuorateLockRegistry quorateLockRegistry(QuorateClient client, QuorateProperties properties) {
		QuorateProperties.Lock lock = properties.getLock();
		return new QuorateLockRegistry(client, lock.getPrefix(), lock.getTtl());
	}

}
