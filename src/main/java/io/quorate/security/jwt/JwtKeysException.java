package io.quorate.security.jwt;

/** The keys of an issuer cannot be used; the message says why. */
public final class JwtKeysException extends RuntimeException {

	JwtKeysException(String detail) {
		super(detail);
	}

}
