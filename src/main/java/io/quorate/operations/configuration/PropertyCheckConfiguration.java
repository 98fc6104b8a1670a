package io.quorate.operations.configuration;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;

@Configuration(proxyBeanMethods = false)
class PropertyCheckConfiguration {

	/* Static, because it runs before any other bean can be made. */
	@Bean
	static PropertyCheck propertyCheck(ConfigurableEnvironment environment) {
		return new PropertyCheck(environment);
	}

}
