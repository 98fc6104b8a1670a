package io.quorate.operations.configuration;

import io.quorate.storage.StorageStartException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows why the store refuses its directory: its message says what can be done. */
final class StorageStartAnalyzer extends AbstractFailureAnalyzer<StorageStartException> {

	@Override
	protected FailureAnalysis analyze(Throwable root, StorageStartException cause) {
		return new FailureAnalysis("The store does not open: " + cause.getMessage(), null, cause);
	}

}
