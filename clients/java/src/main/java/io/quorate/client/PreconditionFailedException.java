package io.quorate.client;

/**
 * The refusal of a conditional read: the value is not of the version that the caller
 * wants.
 */
public class PreconditionFailedException extends RefusedException {

	PreconditionFailedException(String message, Problem problem) {
		super(message, problem, null);
	}

}
