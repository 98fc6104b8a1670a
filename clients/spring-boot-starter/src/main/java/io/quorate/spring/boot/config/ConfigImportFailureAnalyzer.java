package io.quorate.spring.boot.config;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** An analyzer that prints the sentence of a failed import in place of a trace. */
final class ConfigImportFailureAnalyzer extends AbstractFailureAnalyzer<ConfigImportException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, ConfigImportException cause) {
		return new FailureAnalysis(String.valueOf(cause.getMessage()),
				"Check the nodes and the values, or prefix the import with 'optional:' to start without a node.",
				cause);
	}

}
