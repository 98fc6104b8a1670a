package io.quorate.repair.comparison;

import io.quorate.replica.Failure;

/** A failure for which a comparison cannot go on for now. */
public final class ComparisonFailedException extends RuntimeException {

	private static final long serialVersionUID = 1;

	private final transient Failure failure;

	/** Carries the failure. */
	public ComparisonFailedException(Failure failure) {
		super("%s: %s".formatted(failure.reason().word(), failure.detail()), null, false, false);
		this.failure = failure;
	}

	/** The failure. */
	public Failure failure() {
		return this.failure;
	}

}
