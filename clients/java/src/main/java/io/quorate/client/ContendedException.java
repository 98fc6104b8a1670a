package io.quorate.client;

/**
 * The refusal of a write that other writes of its key have overtaken until the deadline
 * of the node. The client has repeated it after random pauses.
 */
public class ContendedException extends UnavailableException {

	ContendedException(String message, Problem problem) {
		super(message, problem, null);
	}

}
