package io.quorate.membership.layout;

import org.jspecify.annotations.Nullable;

/**
 * The failure of a configuration that describes no cluster to which this node could
 * belong; the message names the reason.
 */
public class LayoutException extends RuntimeException {

	/**
	 * A failure.
	 * @param message reason in words, which names the remedy
	 */
	public LayoutException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
