package io.quorate.client;

/**
 * A refusal of a feature that the node does not have, or not yet: a reverse range during
 * an upgrade.
 */
public class NotSupportedException extends RefusedException {

	NotSupportedException(String message, Problem problem) {
		super(message, problem, null);
	}

}
