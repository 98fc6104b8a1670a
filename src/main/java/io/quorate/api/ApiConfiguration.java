package io.quorate.api;

import io.quorate.coordinator.CoordinatorProperties;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Wires the room. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(ApiProperties.class)
class ApiConfiguration {

	@Bean
	RequestTimeout requestTimeout(CoordinatorProperties properties) {
		return RequestTimeout.of(properties);
	}

	@Bean
	SlowRequests slowRequests(ApiProperties properties) {
		return new SlowRequests(properties.slowRequest(), System::nanoTime);
	}

}
