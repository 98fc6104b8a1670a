package io.quorate.client;

/**
 * A refusal of a principal that has reached its limits. The problem says when to try
 * again.
 */
public class TooManyRequestsException extends UnavailableException {

	TooManyRequestsException(String message, Problem problem) {
		super(message, problem, null);
	}

}
