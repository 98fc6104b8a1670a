package io.quorate.api.transport;

import java.util.HexFormat;

import org.jspecify.annotations.Nullable;

/**
 * A request target that every URI parser takes, made of one that a client sent. Brackets,
 * which browsers and others leave as they are, are percent-encoded. Any other character
 * that stands in no URI is a flaw: clients and proxies do not agree on its meaning, least
 * of all on that of {@code #}.
 *
 * @param text the target, nothing but legal characters and whole escapes
 * @param flaw the fault that cannot be repaired without guessing, in words, or
 * {@code null}
 */
record RequestTarget(String text, @Nullable String flaw) {

	private static final HexFormat HEX = HexFormat.of().withUpperCase();

	/* Characters that a URI parser takes behind the question mark. */
	private static final boolean[] LEGAL = new boolean[128];

	private static final boolean[] PATH = new boolean[128];

	static {
		for (char c = 0; c < LEGAL.length; c++) {
			LEGAL[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
					|| "-._~!$&'()*+,;=:@/?".indexOf(c) >= 0;
			PATH[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
					|| "-._~/".indexOf(c) >= 0;
		}
	}

	/**
	 * Checks the part of a target behind its question mark, and the key in an
	 * {@linkplain EntityPath entity's path}. Any other path has one spelling, so that
	 * code that compares paths, to route or to refuse, need not know of other spellings.
	 * @param sent the bytes of the request line, one character each
	 */
	static RequestTarget of(String sent) {
		if (!sent.startsWith("/")) {
			return new RequestTarget("/", "the request target is not a path");
		}
		boolean hasKey = EntityPath.hasKey(sent);
		int end = hasKey ? EntityPath.keyStart() : pathEnd(sent);
		if (!hasKey && end < sent.length() && sent.charAt(end) != '?') {
			return new RequestTarget("/",
					"the path must be written with A-Z a-z 0-9 - . _ ~ and single slashes only, and no segment of it may begin with a dot");
		}
		int start = firstToRepair(sent, end);
		return (start == sent.length()) ? new RequestTarget(sent, null) : repair(sent, start);
	}

	/** End of the part that is a path in its one spelling. */
	private static int pathEnd(String sent) {
		char before = 'a';
		for (int at = 0; at < sent.length(); at++) {
			char c = sent.charAt(at);
			if (c >= PATH.length || !PATH[c] || (before == '/' && (c == '/' || c == '.'))) {
				return at;
			}
			before = c;
		}
		return sent.length();
	}

	private static int firstToRepair(String sent, int from) {
		int at = from;
		while (at < sent.length()) {
			char c = sent.charAt(at);
			if (c == '%' && isEscape(sent, at)) {
				at += 3;
			}
			else if (isLegal(c)) {
				at++;
			}
			else {
				break;
			}
		}
		return at;
	}

	private static RequestTarget repair(String sent, int start) {
		StringBuilder text = new StringBuilder(sent.length() + 64).append(sent, 0, start);
		String flaw = null;
		int at = start;
		while (at < sent.length()) {
			char c = sent.charAt(at);
			if (c == '%' && !isEscape(sent, at)) {
				flaw = "broken percent escape '%s': two hexadecimal digits must follow a %%, and a percent sign is written %%25"
					.formatted(printable(sent.substring(at, Math.min(sent.length(), at + 3))));
			}
			else if (c != '%' && !isLegal(c) && !isBracket(c)) {
				flaw = "the request target has %s, which stands in no URI: it is written %%%s".formatted(
						(c > ' ' && c < 0x7f) ? "a bare '" + c + "'" : "a byte 0x" + HEX.toHexDigits((byte) c),
						HEX.toHexDigits((byte) c));
			}
			if (isLegal(c) || (c == '%' && isEscape(sent, at))) {
				text.append(c);
			}
			else {
				text.append('%').append(HEX.toHexDigits((byte) c));
			}
			at++;
		}
		return new RequestTarget(text.toString(), flaw);
	}

	private static boolean isLegal(char c) {
		return c < LEGAL.length && LEGAL[c];
	}

	private static boolean isBracket(char c) {
		return c == '[' || c == ']';
	}

	private static boolean isEscape(String sent, int at) {
		return at + 2 < sent.length() && HexFormat.isHexDigit(sent.charAt(at + 1))
				&& HexFormat.isHexDigit(sent.charAt(at + 2));
	}

	private static String printable(String text) {
		return text.replaceAll("[^\\x21-\\x7e]", "?");
	}

}
