package io.quorate.internode;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports that peers cannot be served; the message names the reason and the remedy. */
final class InternodeStartAnalyzer extends AbstractFailureAnalyzer<InternodeStartException> {

	@Override
	protected FailureAnalysis analyze(Throwable root, InternodeStartException cause) {
		return new FailureAnalysis("The node does not start: " + cause.getMessage() + ".", null, cause);
	}

}
