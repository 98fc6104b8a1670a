package io.quorate.client;

import org.jspecify.annotations.Nullable;

/**
 * The error of a call whose thread was interrupted, or whose client was closed meanwhile.
 * Nothing was written.
 */
public class CallInterruptedException extends UnavailableException {

	CallInterruptedException(String message, @Nullable Throwable cause) {
		super(message, null, cause);
	}

}
