package io.quorate.client;

/**
 * A refusal of a value that is too large for the node, or of a batch with too many items.
 */
public class TooLargeException extends RefusedException {

	TooLargeException(String message, Problem problem) {
		super(message, problem, null);
	}

}
