package io.quorate.operations.configuration;

import io.quorate.security.access.AccessFileException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports an access file that cannot be used. */
final class AccessFileAnalyzer extends AbstractFailureAnalyzer<AccessFileException> {

	@Override
	protected FailureAnalysis analyze(Throwable root, AccessFileException cause) {
		return new FailureAnalysis(String.valueOf(cause.getMessage()),
				"Correct the file, or take quorate.security.access away: then every client that reaches this node may do everything.",
				cause);
	}

}
