package io.quorate.api.transport;

import java.util.HexFormat;

import org.jspecify.annotations.Nullable;

/**
 * A request target that every URI parser takes, made of one that a client sent: bytes
 * that may not stand in it for themselves are percent-encoded, so that
 * {@code curl '...?id=ключ'} works as it reads.
 *
 * @param text the target, nothing but legal characters and whole escapes
 * @param flaw what cannot be repaired without guessing, in words, or {@code null}
 */
record RequestTarget(String text, @Nullable String flaw) {

	private static final HexFormat HEX = HexFormat.of().withUpperCase();

	private static final boolean[] LEGAL = new boolean[128];

	static {
		for (char c = 0; c < LEGAL.length; c++) {
			LEGAL[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
					|| "-._~!$&'()*+,;=:@/?".indexOf(c) >= 0;
		}
	}

	/**
	 * Repairs a target.
	 * @param sent the bytes of the request line, one character each
	 */
	static RequestTarget of(String sent) {
		if (!isOriginOrAbsolute(sent)) {
			return new RequestTarget("/", "the request target is neither a path nor an absolute http URI");
		}
		int start = firstToRepair(sent, authorityEnd(sent));
		return (start == sent.length()) ? new RequestTarget(sent, null) : repair(sent, start);
	}

	private static boolean isOriginOrAbsolute(String sent) {
		return sent.startsWith("/") || authorityStart(sent) > 0;
	}

	private static int authorityStart(String sent) {
		for (String scheme : new String[] { "http://", "https://" }) {
			if (sent.regionMatches(true, 0, scheme, 0, scheme.length())) {
				return scheme.length();
			}
		}
		return 0;
	}

	private static int authorityEnd(String sent) {
		int at = authorityStart(sent);
		while (at > 0 && at < sent.length() && sent.charAt(at) != '/' && sent.charAt(at) != '?') {
			at++;
		}
		return at;
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

	private static boolean isEscape(String sent, int at) {
		return at + 2 < sent.length() && HexFormat.isHexDigit(sent.charAt(at + 1))
				&& HexFormat.isHexDigit(sent.charAt(at + 2));
	}

	private static String printable(String text) {
		return text.replaceAll("[^\\x21-\\x7e]", "?");
	}

}
