package io.quorate.internode;

import org.jspecify.annotations.Nullable;

/** A failure to serve peers; the message names the reason and the remedy. */
public final class InternodeStartException extends RuntimeException {

	public InternodeStartException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
