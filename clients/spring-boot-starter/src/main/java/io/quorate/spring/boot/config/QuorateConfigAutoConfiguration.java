package io.quorate.spring.boot.config;

import java.util.Set;
import java.util.function.Consumer;

import io.quorate.client.QuorateClient;
import io.quorate.spring.boot.autoconfigure.QuorateAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.util.ClassUtils;

/** Auto-configuration of the refresh of imported configuration. */
@AutoConfiguration(after = QuorateAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "quorate.client.config.refresh", matchIfMissing = true)
@ConditionalOnSingleCandidate(QuorateClient.class)
public final class QuorateConfigAutoConfiguration {

	/* By this Spring Cloud binds properties anew. */
	private static final String CLOUD_EVENT = "org.springframework.cloud.context.environment.EnvironmentChangeEvent";

	@Bean
	ConfigRefresh quorateConfigRefresh(QuorateClient client, ConfigurableEnvironment environment,
			ApplicationContext context) {
		return new ConfigRefresh(client,
				environment.getPropertySources()
					.stream()
					.filter(QuoratePropertySource.class::isInstance)
					.map(QuoratePropertySource.class::cast)
					.toList(),
				publisher(context));
	}

	private static Consumer<Set<String>> publisher(ApplicationContext context) {
		boolean hasCloud = ClassUtils.isPresent(CLOUD_EVENT, context.getClassLoader());
		return (names) -> {
			if (hasCloud) {
				Cloud.publish(context, names);
			}
			context.publishEvent(new QuorateConfigChangedEvent(context, names));
		};
	}

	/** The event of Spring Cloud, loaded only where that is there. */
	private static final class Cloud {

		/* As an object: to check that it is an event, the class would be loaded. */
		static void publish(ApplicationContext context, Set<String> names) {
			context.publishEvent((Object) new EnvironmentChangeEvent(context, names));
		}

	}

}
