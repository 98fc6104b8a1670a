package io.quorate.security.jwt;

/**
 * The refusal of a JSON web token. Its sender does not get the reason. Cheap: without
 * stack trace.
 */
final class RefusedJwtException extends RuntimeException {

	private final Reason reason;

	RefusedJwtException(Reason reason) {
		super("the token is refused: " + reason, null, false, false);
		this.reason = reason;
	}

	Reason reason() {
		return this.reason;
	}

	/** The reasons of a refusal. */
	enum Reason {

		/** It is no signed token, is too long, or has a header that is not understood. */
		MALFORMED,

		/** Its algorithm is not allowed, or is not that of its key. */
		ALGORITHM,

		/** The issuer has no key of this name. */
		UNKNOWN_KEY,

		/** The signature is not by that key. */
		SIGNATURE,

		/** It is of another issuer. */
		ISSUER,

		/** It is meant for others. */
		AUDIENCE,

		/** It has no end, or it has ended. */
		EXPIRED,

		/** It is not valid yet. */
		NOT_YET,

		/** It has no subject. */
		SUBJECT

	}

}
