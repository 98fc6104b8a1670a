package io.quorate.operations.configuration;

import io.quorate.operations.OpenPortException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports a node that would be open to other machines. */
final class OpenPortAnalyzer extends AbstractFailureAnalyzer<OpenPortException> {

	@Override
	protected FailureAnalysis analyze(Throwable root, OpenPortException cause) {
		return new FailureAnalysis(cause.getMessage() + ".",
				"Set quorate.security.access to an access file (quorate token makes tokens for it), or, if the network lets only trusted clients in,"
						+ " quorate.security.open=true.",
				cause);
	}

}
