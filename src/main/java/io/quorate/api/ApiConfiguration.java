package io.quorate.api;

import java.util.Map;

import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import io.quorate.clock.TimeSource;
import io.quorate.coordinator.CoordinatorProperties;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;

/** Wires the room. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(ApiProperties.class)
class ApiConfiguration {

	@Bean
	RequestTimeout requestTimeout(CoordinatorProperties properties) {
		return RequestTimeout.of(properties);
	}

	/** A path each, found before anything else is looked for. */
	@Bean
	SimpleUrlHandlerMapping protocol(EntityController entities, RangeController ranges) {
		return new SimpleUrlHandlerMapping(Map.of(EntityController.PATH, entities, RangeController.PATH, ranges),
				Ordered.HIGHEST_PRECEDENCE);
	}

	@Bean
	Traces traces(ObjectProvider<Tracer> tracer, ObjectProvider<Propagator> propagator) {
		Tracer found = tracer.getIfAvailable();
		return (found != null) ? new SpanTraces(found, propagator.getObject(), TimeSource.SYSTEM) : Traces.NONE;
	}

	@Bean
	SlowRequests slowRequests(ApiProperties properties) {
		return new SlowRequests(properties.slowRequest(), System::nanoTime);
	}

}
