package io.quorate.client;

/**
 * A refusal of a principal that has not the right to the key, or to the range.
 */
public class ForbiddenException extends RefusedException {

	ForbiddenException(String message, Problem problem) {
		super(message, problem, null);
	}

}
