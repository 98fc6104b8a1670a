package io.quorate.internode;

/** A failure to serve peers; the message names the reason and the remedy. */
final class InternodeStartException extends RuntimeException {

	InternodeStartException(String message, Throwable cause) {
		super(message, cause);
	}

}
