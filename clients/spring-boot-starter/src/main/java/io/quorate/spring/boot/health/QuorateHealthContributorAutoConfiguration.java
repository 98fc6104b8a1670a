package io.quorate.spring.boot.health;

import io.quorate.client.QuorateClient;
import io.quorate.spring.boot.autoconfigure.QuorateAutoConfiguration;
import io.quorate.spring.boot.autoconfigure.QuorateProperties;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.CompositeHealthContributorConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the health of Quorate, for applications without Reactor. Each
 * {@link QuorateClient} has an indicator.
 */
@AutoConfiguration(after = { QuorateAutoConfiguration.class, QuorateReactiveHealthContributorAutoConfiguration.class })
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean(QuorateClient.class)
@ConditionalOnEnabledHealthIndicator("quorate")
public final class QuorateHealthContributorAutoConfiguration
		extends CompositeHealthContributorConfiguration<QuorateHealthIndicator, QuorateClient> {

	QuorateHealthContributorAutoConfiguration(QuorateProperties properties) {
		super((client) -> new QuorateHealthIndicator(client, properties.getHealth().getTimeout()));
	}

	@Bean
	@ConditionalOnMissingBean(name = { "quorateHealthIndicator", "quorateHealthContributor" })
	HealthContributor quorateHealthContributor(ConfigurableListableBeanFactory beanFactory) {
		return createContributor(beanFactory, QuorateClient.class);
	}

}
