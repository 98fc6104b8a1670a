package io.quorate.spring.boot.autoconfigure;

import io.quorate.client.CallObserver;
import io.quorate.client.ClientBuilder;
import io.quorate.client.QuorateAsyncClient;
import io.quorate.client.QuorateClient;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Scope;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of the synchronous and the asynchronous client. Both have the same
 * connections, which end with the context.
 */
@AutoConfiguration(after = SslAutoConfiguration.class)
@ConditionalOnClass(QuorateClient.class)
@EnableConfigurationProperties(QuorateProperties.class)
public final class QuorateAutoConfiguration {

	/* Static, because it comes before any other bean. */
	@Bean
	static PropertyNames quoratePropertyNames(Environment environment) {
		return new PropertyNames(environment);
	}

	@Bean
	@ConditionalOnMissingBean(QuorateConnectionDetails.class)
	PropertiesQuorateConnectionDetails quorateConnectionDetails(QuorateProperties properties,
			ObjectProvider<SslBundles> bundles) {
		return new PropertiesQuorateConnectionDetails(properties, (name) -> bundles.getObject().getBundle(name));
	}

	@Bean
	@Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
	@ConditionalOnMissingBean
	ClientBuilder quorateClientBuilder(QuorateProperties properties,
			ObjectProvider<QuorateConnectionDetails> connections, ObjectProvider<CallObserver> observers,
			ObjectProvider<QuorateClientBuilderCustomizer> customizers) {
		ClientBuilder builder = ConfiguredBuilder.of(properties, connections.orderedStream().toList());
		observers.orderedStream().forEach(builder::observer);
		customizers.orderedStream().forEach((customizer) -> customizer.customize(builder));
		return builder;
	}

	@Bean
	@ConditionalOnMissingBean
	QuorateClient quorateClient(ClientBuilder builder) {
		return builder.build();
	}

	/* The synchronous client closes it: it may be one of the application. */
	@Bean(destroyMethod = "")
	@ConditionalOnMissingBean
	@ConditionalOnSingleCandidate(QuorateClient.class)
	QuorateAsyncClient quorateAsyncClient(QuorateClient client) {
		return client.async();
	}

}
