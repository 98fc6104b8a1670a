package io.quorate.api;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quorate.api.request.ApiProperties;
import io.quorate.api.request.ConditionalProperties;
import io.quorate.api.request.RequestTimeout;
import io.quorate.api.transport.PortTerms;
import io.quorate.api.transport.TlsMeasures;
import io.quorate.api.watch.ApiMeters;
import io.quorate.coordinator.CoordinatorProperties;
import io.quorate.security.RefusalLog;
import io.quorate.security.access.Gate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Wires the room. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties({ ApiProperties.class, ConditionalProperties.class })
class ApiConfiguration {

	@Bean
	RequestTimeout requestTimeout(CoordinatorProperties properties) {
		return RequestTimeout.of(properties);
	}

	@Bean
	PortTerms portTerms(ApiProperties properties, MeterRegistry meters, Gate gate) {
		AtomicInteger connections = new AtomicInteger();
		ApiMeters.CONNECTIONS.gauge(meters, connections, AtomicInteger::get);
		Counter malformed = ApiMeters.MALFORMED.counter(meters);
		return new PortTerms(
				new PortTerms.Limits(properties.maxConnections(), properties.connectionLifetime(),
						ApiMeters.CONNECTIONS_REFUSED.counter(meters)),
				() -> new RefusalLog(malformed, System::nanoTime), connections, new PortMeasures(meters),
				properties.hosts(), gate::servesAnonymous);
	}

	/** Registers the meters of TLS on the ports for HTTP. */
	private record PortMeasures(MeterRegistry registry) implements TlsMeasures {

		@Override
		public Counter handshakes(String port, String outcome) {
			return ApiMeters.TLS_HANDSHAKES.counter(this.registry, port, outcome);
		}

		@Override
		public void certificateOf(String port, DoubleSupplier remainingSeconds) {
			ApiMeters.CERTIFICATE_REMAINING.gauge(this.registry, remainingSeconds, DoubleSupplier::getAsDouble, port);
		}

	}

}
