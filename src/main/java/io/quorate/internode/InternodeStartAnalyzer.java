package io.quorate.internode;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows why peers cannot be served: the message says what can be done. */
final class InternodeStartAnalyzer extends AbstractFailureAnalyzer<InternodeStartException> {

	@Override
	protected FailureAnalysis analyze(Throwable root, InternodeStartException cause) {
		return new FailureAnalysis("The node does not start: " + cause.getMessage() + ".", null, cause);
	}

}
