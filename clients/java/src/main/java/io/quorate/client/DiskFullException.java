package io.quorate.client;

/**
 * A refusal of a write: the node has too little free space.
 */
public class DiskFullException extends UnavailableException {

	DiskFullException(String message, Problem problem) {
		super(message, problem, null);
	}

}
