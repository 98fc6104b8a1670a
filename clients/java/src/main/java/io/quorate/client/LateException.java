package io.quorate.client;

/**
 * A refusal of a node that stood still, or of an item of a batch that began after the
 * deadline.
 */
public class LateException extends OverloadedException {

	LateException(String message, Problem problem) {
		super(message, problem);
	}

}
