package io.quorate.operations.configuration;

import java.util.stream.Collectors;

import io.quorate.operations.configuration.UnknownPropertyException.Unknown;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports each unknown property, its origin, and the name that may have been meant. */
final class UnknownPropertyAnalyzer extends AbstractFailureAnalyzer<UnknownPropertyException> {

	@Override
	protected FailureAnalysis analyze(Throwable root, UnknownPropertyException cause) {
		String description = cause.unknown()
			.stream()
			.map(UnknownPropertyAnalyzer::describe)
			.collect(Collectors.joining("\n"));
		return new FailureAnalysis(description,
				"Correct the name or remove the property. All names are in src/docs/properties.md and config/application.yml.",
				cause);
	}

	private static String describe(Unknown unknown) {
		String meant = unknown.suggestion().isEmpty() ? "" : " Did you mean '%s'?".formatted(unknown.suggestion());
		return "The property '%s' (from %s) is unknown: nothing would read it.%s".formatted(unknown.name(),
				unknown.origin(), meant);
	}

}
