package io.quorate.spring.boot.health;

import io.quorate.client.reactor.QuorateReactiveClient;
import io.quorate.spring.boot.autoconfigure.QuorateProperties;
import io.quorate.spring.boot.autoconfigure.QuorateReactiveAutoConfiguration;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.CompositeReactiveHealthContributorConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.ReactiveHealthContributor;
import org.springframework.boot.health.contributor.ReactiveHealthIndicator;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Flux;

/**
 * Auto-configuration of the health of Quorate, for applications with Reactor. Each
 * {@link QuorateReactiveClient} has an indicator.
 */
@AutoConfiguration(after = QuorateReactiveAutoConfiguration.class)
@ConditionalOnClass({ Flux.class, ReactiveHealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean(QuorateReactiveClient.class)
@ConditionalOnEnabledHealthIndicator("quorate")
public final class QuorateReactiveHealthContributorAutoConfiguration
		extends CompositeReactiveHealthContributorConfiguration<QuorateReactiveHealthIndicator, QuorateReactiveClient> {

	QuorateReactiveHealthContributorAutoConfiguration(QuorateProperties properties) {
		super((client) -> new QuorateReactiveHealthIndicator(client, properties.getHealth().getTimeout()));
	}

	@Bean
	@ConditionalOnMissingBean(name = { "quorateHealthIndicator", "quorateHealthContributor" })
	ReactiveHealthContributor quorateHealthContributor(ConfigurableListableBeanFactory beanFactory) {
		return createContributor(beanFactory, QuorateReactiveClient.class);
	}

}
