package io.quorate.client;

/**
 * A refusal of a node that is about to stop.
 */
public class DrainingException extends OverloadedException {

	DrainingException(String message, Problem problem) {
		super(message, problem);
	}

}
