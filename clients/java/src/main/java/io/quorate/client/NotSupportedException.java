package io.quorate.client;

/**
 * A refusal of a feature that the node, or a proxy before it, does not have, or not yet.
 */
public class NotSupportedException extends RefusedException {

	NotSupportedException(String message, Problem problem) {
		super(message, problem, null);
	}

}
