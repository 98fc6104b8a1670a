package io.quorate.security.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;

import org.jspecify.annotations.Nullable;

/**
 * A token: {@code qk_<principal>_<secret>}, where the secret is 256 random bits in 43
 * characters of base64url. Scanners for leaked secrets find it by its prefix. The access
 * file has its SHA-256 alone: no computer guesses 256 random bits, so a slow hash would
 * only slow the node down.
 *
 * @param text the whole token
 * @param principal the name in it
 */
public record Token(String text, String principal) {

	private static final String PREFIX = "qk_";

	private static final int SECRET_BYTES = 32;

	private static final int SECRET_LENGTH = 43;

	private static final int MAX_NAME_LENGTH = 32;

	private static final String ALGORITHM = "SHA-256";

	/* Every request with a token needs one. It keeps nothing of what it has digested. */
	private static final ThreadLocal<MessageDigest> DIGEST = ThreadLocal.withInitial(Token::sha256Digest);

	/** Whether a text may be the name of a principal. */
	public static boolean isName(String text) {
		if (text.isEmpty() || text.length() > MAX_NAME_LENGTH || text.charAt(0) == '-') {
			return false;
		}
		for (int i = 0; i < text.length(); i++) {
			char next = text.charAt(i);
			if ((next < 'a' || next > 'z') && (next < '0' || next > '9') && next != '-') {
				return false;
			}
		}
		return true;
	}

	/**
	 * A new token for a principal.
	 * @throws IllegalArgumentException when that is no name
	 */
	public static Token generate(String principal) {
		if (!isName(principal)) {
			throw new IllegalArgumentException(
					"a principal is named by 1 to 32 characters a-z, 0-9 and -, and does not begin with -");
		}
		byte[] secret = new byte[SECRET_BYTES];
		new SecureRandom().nextBytes(secret);
		String text = Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
		return new Token(PREFIX + principal + "_" + text, principal);
	}

	/** The token of a text, {@code null} if it has not the form of one. */
	static @Nullable Token parse(String text) {
		int end = text.length() - SECRET_LENGTH - 1;
		if (end <= PREFIX.length() || !text.startsWith(PREFIX) || text.charAt(end) != '_') {
			return null;
		}
		String name = text.substring(PREFIX.length(), end);
		return isName(name) ? new Token(text, name) : null;
	}

	/** SHA-256 of the whole token, in hexadecimal digits, for the access file. */
	public String sha256() {
		return HexFormat.of().formatHex(digest());
	}

	byte[] digest() {
		return DIGEST.get().digest(this.text.getBytes(StandardCharsets.UTF_8));
	}

	private static MessageDigest sha256Digest() {
		try {
			return MessageDigest.getInstance(ALGORITHM);
		}
		catch (NoSuchAlgorithmException impossible) {
			throw new IllegalStateException("every JDK has " + ALGORITHM, impossible);
		}
	}

	/** Returns the name only, without the secret. */
	@Override
	public String toString() {
		return "a token of " + this.principal;
	}

}
