package io.quorate.client;

/**
 * The refusal of a write without a condition, of a key that the cluster keeps for
 * conditional writes.
 */
public class ConditionRequiredException extends RefusedException {

	ConditionRequiredException(String message, Problem problem) {
		super(message, problem, null);
	}

}
