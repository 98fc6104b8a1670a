package io.quorate.client;

/**
 * A refusal of a path that the node does not have. A key without a value is no error.
 */
public class NotFoundException extends RefusedException {

	NotFoundException(String message, Problem problem) {
		super(message, problem, null);
	}

}
