package io.quorate.internode;

/** Peers cannot be served; the message says why and what can be done. */
final class InternodeStartException extends RuntimeException {

	InternodeStartException(String message, Throwable cause) {
		super(message, cause);
	}

}
