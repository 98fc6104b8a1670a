package io.quorate.client;

import org.jspecify.annotations.Nullable;

/**
 * The refusal of a call by its own client: too many calls wait for a connection already.
 * Nothing was sent.
 */
public class TooManyCallsException extends UnavailableException {

	TooManyCallsException(String message, @Nullable Throwable cause) {
		super(message, null, cause);
	}

}
