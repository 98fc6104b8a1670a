package io.quorate.command;

import org.jspecify.annotations.Nullable;

/**
 * Functions of keys as text, in the order of their UTF-8, which is that of code points.
 */
final class Keys {

	private static final int BEFORE_SURROGATES = Character.MIN_SURROGATE - 1;

	private Keys() {
	}

	/**
	 * The least key behind all that begin with a prefix, {@code null} if there is none.
	 */
	static @Nullable String behindAllWith(String prefix) {
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

}
