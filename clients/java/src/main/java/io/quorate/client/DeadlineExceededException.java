package io.quorate.client;

import org.jspecify.annotations.Nullable;

/**
 * The error of a call whose deadline passed. Nothing was written.
 */
public class DeadlineExceededException extends UnavailableException {

	DeadlineExceededException(String message, @Nullable Throwable cause) {
		super(message, null, cause);
	}

}
