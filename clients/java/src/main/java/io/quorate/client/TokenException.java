package io.quorate.client;

import org.jspecify.annotations.Nullable;

/**
 * The error of a token that cannot be read, is none, or does not come before the
 * deadline. The request was not sent.
 */
public class TokenException extends QuorateException {

	TokenException(String message, @Nullable Throwable cause) {
		super(message, null, cause);
	}

}
