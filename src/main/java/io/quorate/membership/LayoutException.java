package io.quorate.membership;

/**
 * The failure of a configuration that describes no cluster to which this node could
 * belong; the message names the reason.
 */
public final class LayoutException extends RuntimeException {

	LayoutException(String message, Throwable cause) {
		super(message, cause);
	}

}
