package io.quorate.operations.configuration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

class TracingWithEndpointOnlyTests {

	private static final String[] CANDIDATES = {
			"org.springframework.boot.micrometer.tracing.autoconfigure.NoopTracerAutoConfiguration",
			"org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration",
			"org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration" };

	@ParameterizedTest
	@CsvSource({ "'',false", "' ',false", "http://localhost:4318/v1/traces,true" })
	void tracingIsThereWithAnEndpoint(String endpoint, boolean isThere) {
		TracingWithEndpointOnly filter = new TracingWithEndpointOnly();
		filter.setEnvironment(
				new MockEnvironment().withProperty("management.opentelemetry.tracing.export.otlp.endpoint", endpoint));
		assertThat(filter.match(CANDIDATES, mock(AutoConfigurationMetadata.class))).containsExactly(isThere, isThere,
				true);
	}

}
