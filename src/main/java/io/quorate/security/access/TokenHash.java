package io.quorate.security.access;

import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * The SHA-256 of a token that a principal has. Compared in constant time: the time of an
 * answer tells nothing of the hash.
 */
final class TokenHash {

	static final int BYTES = 32;

	/** Digits that are shown, to tell the tokens of a principal apart. */
	private static final int SHOWN_BYTES = 4;

	private final byte[] sha256;

	private final @Nullable Instant end;

	/* The same one in the next access. */
	private final AtomicReference<@Nullable Instant> lastUse;

	/**
	 * The hash of a token.
	 * @param end instant from which the token is void, {@code null} for none
	 */
	TokenHash(byte[] sha256, @Nullable Instant end) {
		this(sha256.clone(), end, new AtomicReference<>());
	}

	private TokenHash(byte[] sha256, @Nullable Instant end, AtomicReference<@Nullable Instant> lastUse) {
		this.sha256 = sha256;
		this.end = end;
		this.lastUse = lastUse;
	}

	/** This hash, with the last use of the same token in an access before. */
	TokenHash after(Iterable<TokenHash> before) {
		for (TokenHash each : before) {
			if (MessageDigest.isEqual(each.sha256, this.sha256)) {
				return new TokenHash(this.sha256, this.end, each.lastUse);
			}
		}
		return this;
	}

	/** Whether a digest is this one, and the token is not void. */
	boolean matches(byte[] digest, Instant now) {
		boolean isEqual = MessageDigest.isEqual(this.sha256, digest);
		boolean isValid = isEqual && (this.end == null || now.isBefore(this.end));
		if (isValid) {
			noteUse(now);
		}
		return isValid;
	}

	/* Once a second is enough, and saves the processors the fight over the field. */
	private void noteUse(Instant now) {
		Instant last = this.lastUse.get();
		if (last == null || now.getEpochSecond() != last.getEpochSecond()) {
			this.lastUse.set(now);
		}
	}

	/** The last use since the node started, to the second, {@code null} for none. */
	@Nullable Instant lastUse() {
		return this.lastUse.get();
	}

	@Nullable Instant end() {
		return this.end;
	}

	/**
	 * The first digits, which distinguish the tokens of a principal; too few to guess it.
	 */
	String shown() {
		return HexFormat.of().formatHex(this.sha256, 0, SHOWN_BYTES);
	}

}
