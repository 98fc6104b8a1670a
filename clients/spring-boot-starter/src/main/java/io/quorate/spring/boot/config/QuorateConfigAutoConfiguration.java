package io.quorate.spring.boot.config;

import java.lang.reflect.Constructor;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

import io.quorate.client.QuorateClient;
import io.quorate.spring.boot.autoconfigure.QuorateAutoConfiguration;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.util.ClassUtils;

/** Auto-configuration of the refresh of imported configuration. */
@AutoConfiguration(after = QuorateAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "quorate.client.config.refresh", matchIfMissing = true)
@ConditionalOnSingleCandidate(QuorateClient.class)
public final class QuorateConfigAutoConfiguration {

	/** The event of Spring Cloud by which it binds its properties anew. */
	static final String CLOUD_EVENT = "org.springframework.cloud.context.environment.EnvironmentChangeEvent";

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
		return (names) -> {
			if (ClassUtils.isPresent(CLOUD_EVENT, context.getClassLoader())) {
				Class<?> type = ClassUtils.resolveClassName(CLOUD_EVENT, context.getClassLoader());
				Constructor<?> constructor = Objects
					.requireNonNull(ClassUtils.getConstructorIfAvailable(type, ApplicationContext.class, Set.class));
				context.publishEvent(BeanUtils.instantiateClass(constructor, context, names));
			}
			context.publishEvent(new QuorateConfigChangedEvent(context, names));
		};
	}

}
