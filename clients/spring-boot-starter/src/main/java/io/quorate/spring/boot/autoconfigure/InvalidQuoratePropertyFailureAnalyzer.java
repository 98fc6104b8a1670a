package io.quorate.spring.boot.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** An analyzer that prints the sentence of an invalid property in place of a trace. */
final class InvalidQuoratePropertyFailureAnalyzer extends AbstractFailureAnalyzer<InvalidQuoratePropertyException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidQuoratePropertyException cause) {
		return new FailureAnalysis(String.valueOf(cause.getMessage()),
				"Correct " + cause.property() + " in the configuration of the application.", cause);
	}

}
