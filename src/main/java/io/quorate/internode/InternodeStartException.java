package io.quorate.internode;

/** A failure to serve peers; the message names the reason and the remedy. */
public final class InternodeStartException extends RuntimeException {

	public InternodeStartException(String message, Throwable cause) {
		super(message, cause);
	}

}
