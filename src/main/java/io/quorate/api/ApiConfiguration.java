package io.quorate.api;

import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import io.quorate.api.transport.Stalls;
import io.quorate.clock.TimeSource;
import io.quorate.coordinator.CoordinatorProperties;

import org.springframework.beans.factory.ObjectProvider;
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
	Traces traces(ObjectProvider<Tracer> tracer, ObjectProvider<Propagator> propagator) {
		Tracer found = tracer.getIfAvailable();
		return (found != null) ? new SpanTraces(found, propagator.getObject(), TimeSource.SYSTEM) : Traces.NONE;
	}

	@Bean
	Stalls stalls(RequestMetrics metrics) {
		return metrics::stalled;
	}

	@Bean
	SlowRequests slowRequests(ApiProperties properties) {
		return new SlowRequests(properties.slowRequest(), System::nanoTime);
	}

}
