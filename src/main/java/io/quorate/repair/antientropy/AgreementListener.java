package io.quorate.repair.antientropy;

import io.quorate.clock.Timestamp;
import io.quorate.replica.Failure;
import org.jspecify.annotations.Nullable;

/**
 * Hears of the rounds of whole stores, whoever leads them. Called by threads that may
 * wait for the disk, never by event loops; two calls may be under way at once.
 */
public interface AgreementListener {

	/** Lets every round be, and takes no note. */
	AgreementListener NONE = new AgreementListener() {
	};

	/** Highest stamp of a deletion that this node may have forgotten. */
	default Timestamp purgeHorizon() {
		return Timestamp.ZERO;
	}

	/**
	 * A round begins, or goes on after an interruption.
	 * @return why it must not, or {@code null}
	 */
	default @Nullable Failure begins(Agreement agreement) {
		return null;
	}

	/**
	 * A round of both whole stores is completed; may be told twice of the same one.
	 */
	default void completed(Agreement agreement) {
	}

}
