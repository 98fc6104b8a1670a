package io.quorate.operations.configuration;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/**
 * Leaves out all auto-configuration of tracing as long as no endpoint for traces is set:
 * Spring Boot would make spans, and a thread that throws them away.
 */
final class TracingWithEndpointOnly implements AutoConfigurationImportFilter, EnvironmentAware {

	private static final String ENDPOINT = "management.opentelemetry.tracing.export.otlp.endpoint";

	private static final List<String> TRACING = List.of("org.springframework.boot.micrometer.tracing.",
			"org.springframework.boot.opentelemetry.");

	private boolean isOn;

	@Override
	public void setEnvironment(Environment environment) {
		this.isOn = !environment.getProperty(ENDPOINT, "").isBlank();
	}

	@Override
	public boolean[] match(@Nullable String[] candidates, AutoConfigurationMetadata metadata) {
		boolean[] matches = new boolean[candidates.length];
		for (int i = 0; i < candidates.length; i++) {
			String candidate = candidates[i];
			matches[i] = this.isOn || candidate == null || TRACING.stream().noneMatch(candidate::startsWith);
		}
		return matches;
	}

}
