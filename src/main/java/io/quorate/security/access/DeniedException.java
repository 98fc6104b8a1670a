package io.quorate.security.access;

/**
 * The end of a request that its sender may not make: nothing was done for it. Cheap:
 * without stack trace.
 */
public final class DeniedException extends RuntimeException {

	private final Why why;

	DeniedException(Why why, String detail) {
		super(detail, null, false, false);
		this.why = why;
	}

	/** The kind of denial. */
	public Why why() {
		return this.why;
	}

	/** The kinds of denials. */
	public enum Why {

		/** The request has two fields with credentials. */
		AMBIGUOUS,

		/** The request has no credentials. */
		NO_CREDENTIALS,

		/** The credentials are unknown, malformed or expired. */
		INVALID_CREDENTIALS,

		/** The principal has not the right. */
		FORBIDDEN,

		/** The principal has sent too many requests in this second. */
		RATE,

		/** The address has sent too many requests without valid credentials. */
		FAILURES,

		/** Too many JSON web tokens wait for their check. */
		BUSY

	}

}
