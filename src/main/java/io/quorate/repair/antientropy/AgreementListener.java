package io.quorate.repair.antientropy;

import io.quorate.clock.Timestamp;
import io.quorate.replica.Failure;
import org.jspecify.annotations.Nullable;

/**
 * Listens to the rounds of whole stores, led by either node. Called on threads that may
 * wait for the disk, never on event loops; two calls may be under way at once.
 */
public interface AgreementListener {

	/** Permits every round, and records none. */
	AgreementListener NONE = new AgreementListener() {
	};

	/** Highest timestamp of a deletion that this node may have purged. */
	default Timestamp purgeHorizon() {
		return Timestamp.ZERO;
	}

	/**
	 * A round begins, or goes on after an interruption.
	 * @return reason for which it must not, or {@code null}
	 */
	default @Nullable Failure begins(Agreement agreement) {
		return null;
	}

	/**
	 * A round of both whole stores is completed; may be called twice for the same one.
	 */
	default void completed(Agreement agreement) {
	}

}
