package io.quorate.membership;

/**
 * The configuration describes no cluster that this node could belong to; the message says
 * why.
 */
public final class TopologyException extends RuntimeException {

	TopologyException(String message, Throwable cause) {
		super(message, cause);
	}

}
