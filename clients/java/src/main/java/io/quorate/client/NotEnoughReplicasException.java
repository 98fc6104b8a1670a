package io.quorate.client;

/**
 * The failure of a read: fewer replicas than required answered in time. The problem has
 * the numbers, and the answer of each replica. After a write such an answer is the
 * problem of an {@link OutcomeUnknownException}.
 */
public class NotEnoughReplicasException extends UnavailableException {

	NotEnoughReplicasException(String message, Problem problem) {
		super(message, problem, null);
	}

}
