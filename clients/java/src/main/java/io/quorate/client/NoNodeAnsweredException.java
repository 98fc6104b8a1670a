package io.quorate.client;

import org.jspecify.annotations.Nullable;

/**
 * The error of a call to which no node gave an answer. Nothing was written.
 */
public class NoNodeAnsweredException extends UnavailableException {

	NoNodeAnsweredException(String message, @Nullable Throwable cause) {
		super(message, null, cause);
	}

}
