package io.quorate.client;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/** The rules of keys: their bytes, their order, and their spelling in a request. */
final class Keys {

	private static final int MOST_BYTES = 1_024;

	private static final int BEFORE_SURROGATES = Character.MIN_SURROGATE - 1;

	private static final String UNRESERVED = "-._~";

	private static final char[] DIGITS = "0123456789ABCDEF".toCharArray();

	private Keys() {
	}

	/**
	 * Refuses what is no key.
	 * @throws IllegalArgumentException if the key has not 1 to 1,024 bytes of UTF-8
	 */
	static void check(String key) {
		Objects.requireNonNull(key, "a key is text, not null");
		int size = utf8(key).remaining();
		if (size < 1 || size > MOST_BYTES) {
			throw new IllegalArgumentException(
					"a key has 1 to " + MOST_BYTES + " bytes of UTF-8, this one has " + size);
		}
	}

	/**
	 * Returns the end of all keys that begin with a prefix, {@code null} if no key is
	 * behind them.
	 */
	static @Nullable String behindAllWith(String prefix) {
		if (utf8(prefix).remaining() == MOST_BYTES) {
			// It is the only one. The next character could have more bytes.
			return prefix + "\0";
		}
		int end = prefix.length();
		while (end > 0) {
			int last = prefix.codePointBefore(end);
			end -= Character.charCount(last);
			if (last < Character.MAX_CODE_POINT) {
				int next = (last == BEFORE_SURROGATES) ? Character.MAX_SURROGATE + 1 : last + 1;
				return prefix.substring(0, end) + Character.toString(next);
			}
		}
		return null;
	}

	/** Percent-encodes all but letters, digits and {@code -._~}. */
	static String encode(String text) {
		ByteBuffer bytes = utf8(text);
		StringBuilder encoded = new StringBuilder(bytes.remaining() + 16);
		while (bytes.hasRemaining()) {
			int value = bytes.get() & 0xff;
			if ((value >= 'a' && value <= 'z') || (value >= 'A' && value <= 'Z') || (value >= '0' && value <= '9')
					|| UNRESERVED.indexOf(value) >= 0) {
				encoded.append((char) value);
			}
			else {
				encoded.append('%').append(DIGITS[value >> 4]).append(DIGITS[value & 15]);
			}
		}
		return encoded.toString();
	}

	private static ByteBuffer utf8(String text) {
		try {
			return Text.encode(text);
		}
		catch (CharacterCodingException failure) {
			throw new IllegalArgumentException("a key has no half of a surrogate pair", failure);
		}
	}

	/**
	 * Compares keys by their bytes. That is the order of code points, in which surrogates
	 * are behind all other characters; the order of strings has them before some.
	 */
	static int compare(String one, String other) {
		int length = Math.min(one.length(), other.length());
		for (int i = 0; i < length; i++) {
			char a = one.charAt(i);
			char b = other.charAt(i);
			if (a != b) {
				boolean isPair = Character.isSurrogate(a);
				return (isPair == Character.isSurrogate(b)) ? a - b : (isPair ? 1 : -1);
			}
		}
		return one.length() - other.length();
	}

}
