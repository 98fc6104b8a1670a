package io.quorate.client;

/**
 * A refusal of a request without a token, or with one that the node does not accept.
 */
public class UnauthenticatedException extends RefusedException {

	UnauthenticatedException(String message, Problem problem) {
		super(message, problem, null);
	}

}
