package io.quorate.client;

/**
 * A refusal of a node whose clock cannot give a timestamp.
 */
public class ClockUncertainException extends OverloadedException {

	ClockUncertainException(String message, Problem problem) {
		super(message, problem);
	}

}
