package io.quorate.client;

import org.jspecify.annotations.Nullable;

/** The error of a call that no node could do for now. Nothing was written. */
public abstract class UnavailableException extends QuorateException {

	UnavailableException(String message, @Nullable Problem problem, @Nullable Throwable cause) {
		super(message, problem, cause);
	}

}
