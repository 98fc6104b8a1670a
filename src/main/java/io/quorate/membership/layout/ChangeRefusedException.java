package io.quorate.membership.layout;

import org.jspecify.annotations.Nullable;

/** The refusal of a change of the layout; the message gives the reason. */
public final class ChangeRefusedException extends RuntimeException {

	private final Reason reason;

	/**
	 * A refusal.
	 * @param message reason in words
	 */
	public ChangeRefusedException(Reason reason, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.reason = reason;
	}

	/** Kind of the reason. */
	public Reason reason() {
		return this.reason;
	}

	/** The kinds of reasons. */
	public enum Reason {

		/** Another change is under way. */
		BUSY,

		/** No change is under way. */
		NOT_UNDER_WAY,

		/** There can be no such layout. */
		IMPOSSIBLE,

		/** Another layout was decided first. */
		OVERTAKEN,

		/** It is not known whether the layout will be decided. */
		UNDECIDED

	}

}
