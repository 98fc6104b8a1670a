package io.quorate.operations.configuration;

import io.quorate.storage.StorageStartException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Reports a directory that the store refuses; the message gives the reason and the
 * remedy.
 */
final class StorageStartAnalyzer extends AbstractFailureAnalyzer<StorageStartException> {

	@Override
	protected FailureAnalysis analyze(Throwable root, StorageStartException cause) {
		return new FailureAnalysis("The store does not open: " + cause.getMessage(), null, cause);
	}

}
