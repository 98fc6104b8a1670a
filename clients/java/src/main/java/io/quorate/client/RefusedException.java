package io.quorate.client;

import org.jspecify.annotations.Nullable;

/**
 * The refusal of a request by a node, for a reason that lasts: no other node would do it.
 * Nothing was written.
 */
public class RefusedException extends QuorateException {

	RefusedException(String message, Problem problem, @Nullable Throwable cause) {
		super(message, problem, cause);
	}

}
