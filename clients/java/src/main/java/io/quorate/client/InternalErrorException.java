package io.quorate.client;

/**
 * The failure of a node to answer a read. The log of the node says the reason.
 */
public class InternalErrorException extends UnavailableException {

	InternalErrorException(String message, Problem problem) {
		super(message, problem, null);
	}

}
