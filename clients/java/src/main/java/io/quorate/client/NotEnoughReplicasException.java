package io.quorate.client;

/**
 * The failure of a read, or of a write of which it is certain that it has not happened:
 * fewer replicas than required answered in time. The problem has the numbers, and the
 * answer of each replica. After any other write such an answer is the problem of an
 * {@link OutcomeUnknownException}.
 */
public class NotEnoughReplicasException extends UnavailableException {

	NotEnoughReplicasException(String message, Problem problem) {
		super(message, problem, null);
	}

}
