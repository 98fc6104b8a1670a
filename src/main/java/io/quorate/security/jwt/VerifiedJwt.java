package io.quorate.security.jwt;

import java.time.Instant;

/**
 * A token whose signature and claims are right. It stays so until its end, as long as the
 * issuer has its key. Immutable.
 */
public final class VerifiedJwt {

	private final String subject;

	private final Instant end;

	private final String keyName;

	private final IssuerKey key;

	VerifiedJwt(String subject, Instant end, String keyName, IssuerKey key) {
		this.subject = subject;
		this.end = end;
		this.keyName = keyName;
		this.key = key;
	}

	/** The claim {@code sub}: whom the issuer has given the token to. */
	public String subject() {
		return this.subject;
	}

	/** The time from which it is not valid any more. */
	Instant end() {
		return this.end;
	}

	/** Whether it has not ended, and its key is among these. */
	boolean isValid(IssuerKeys keys, Instant now) {
		return now.isBefore(this.end) && keys.named(this.keyName) == this.key;
	}

	/** Returns the subject only. */
	@Override
	public String toString() {
		return "a token of " + this.subject;
	}

}
