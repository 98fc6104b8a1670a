package io.quorate.client;

import org.jspecify.annotations.Nullable;

/**
 * The error of an answer that is larger than {@link CallOptions#maxAnswerSize}.
 */
public class AnswerTooLargeException extends QuorateException {

	AnswerTooLargeException(String message, @Nullable Throwable cause) {
		super(message, null, cause);
	}

}
