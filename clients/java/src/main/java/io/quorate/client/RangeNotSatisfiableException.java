package io.quorate.client;

/**
 * A refusal of a part: the value has none of the bytes that the caller wants.
 */
public class RangeNotSatisfiableException extends RefusedException {

	RangeNotSatisfiableException(String message, Problem problem) {
		super(message, problem, null);
	}

}
