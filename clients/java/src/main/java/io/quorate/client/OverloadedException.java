package io.quorate.client;

/**
 * A refusal of a node at one of its bounds. It is also the base of other refusals for
 * now.
 */
public class OverloadedException extends UnavailableException {

	OverloadedException(String message, Problem problem) {
		super(message, problem, null);
	}

}
