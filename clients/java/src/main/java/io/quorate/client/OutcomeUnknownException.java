package io.quorate.client;

import org.jspecify.annotations.Nullable;

/**
 * The error of a write that may have happened, may still happen, or may never happen. The
 * client has not repeated it, unless the caller asks for that by
 * {@link CallOptions#repeatUnknown}, or its condition allows it. The caller may repeat it
 * as a new write, which is harmless if no other client writes the key meanwhile.
 */
public class OutcomeUnknownException extends QuorateException {

	private static final long serialVersionUID = 1;

	private final boolean wasRepeated;

	OutcomeUnknownException(String reason, boolean wasRepeated, @Nullable Problem problem, @Nullable Throwable cause) {
		super(reason + ". The write may have happened or not; it was " + (wasRepeated ? "" : "not ") + "repeated.",
				problem, cause);
		this.wasRepeated = wasRepeated;
	}

	/** Returns {@code true} if the client has sent the write again after that. */
	public boolean wasRepeated() {
		return this.wasRepeated;
	}

}
