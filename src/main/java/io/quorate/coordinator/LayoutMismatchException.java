package io.quorate.coordinator;

import io.quorate.entry.Entry;
import org.jspecify.annotations.Nullable;

/**
 * Ends an attempt of a request that too many replicas refused because they have adopted
 * another layout: the request is planned anew. Carries no stack trace.
 */
final class LayoutMismatchException extends RuntimeException {

	private final @Nullable Sent sent;

	private final RuntimeException outcome;

	/**
	 * The end of an attempt.
	 * @param sent entry that a replica holds or may hold, {@code null} for none: the next
	 * attempt sends the same
	 * @param outcome failure of the request if there is no next attempt
	 */
	LayoutMismatchException(@Nullable Sent sent, RuntimeException outcome) {
		super("planned under another layout", null, false, false);
		this.sent = sent;
		this.outcome = outcome;
	}

	@Nullable Sent sent() {
		return this.sent;
	}

	RuntimeException outcome() {
		return this.outcome;
	}

	/**
	 * An entry that a replica holds or may hold.
	 *
	 * @param isInOrder whether its timestamp is known to be above those of all writes
	 * that a majority had acknowledged when the write began, by whatever layout
	 */
	record Sent(Entry entry, boolean isInOrder) {
	}

}
