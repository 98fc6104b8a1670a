package io.quorate.api.request;

/**
 * The syntax of a media type with parameters (RFC 9110, 8.3.1), in visible ASCII
 * characters and spaces. Allocates nothing.
 */
final class MediaTypeSyntax {

	private static final int NONE = -1;

	private static final String TOKEN_MARKS = "!#$%&'*+-.^_`|~";

	private MediaTypeSyntax() {
	}

	/** Whether a text is a media type, and no range of them. */
	static boolean matches(String text) {
		int slash = name(text, 0);
		if (slash == NONE || slash == text.length() || text.charAt(slash) != '/') {
			return false;
		}
		int at = name(text, slash + 1);
		while (at != NONE) {
			at = spaces(text, at);
			if (at == text.length()) {
				return true;
			}
			at = (text.charAt(at) == ';') ? parameter(text, spaces(text, at + 1)) : NONE;
		}
		return false;
	}

	/* Names begin with a letter or a digit (RFC 6838, 4.2): a wildcard does not. */
	private static int name(String text, int from) {
		return (from < text.length() && isAlphanumeric(text.charAt(from))) ? token(text, from) : NONE;
	}

	/* The end of a parameter, which may be missing behind its semicolon. */
	private static int parameter(String text, int from) {
		int equals = token(text, from);
		if (equals == from) {
			return from;
		}
		if (equals == text.length() || text.charAt(equals) != '=') {
			return NONE;
		}
		int value = equals + 1;
		if (value < text.length() && text.charAt(value) == '"') {
			return quoted(text, value + 1);
		}
		int end = token(text, value);
		return (end > value) ? end : NONE;
	}

	private static int quoted(String text, int from) {
		int at = from;
		while (at < text.length() && isVisible(text.charAt(at)) && text.charAt(at) != '"') {
			at++;
			if (text.charAt(at - 1) == '\\' && at < text.length() && isVisible(text.charAt(at))) {
				at++;
			}
		}
		return (at < text.length() && text.charAt(at) == '"') ? at + 1 : NONE;
	}

	private static int token(String text, int from) {
		int at = from;
		while (at < text.length() && (isAlphanumeric(text.charAt(at)) || TOKEN_MARKS.indexOf(text.charAt(at)) >= 0)) {
			at++;
		}
		return at;
	}

	private static int spaces(String text, int from) {
		int at = from;
		while (at < text.length() && text.charAt(at) == ' ') {
			at++;
		}
		return at;
	}

	private static boolean isVisible(char character) {
		return character >= ' ' && character <= '~';
	}

	private static boolean isAlphanumeric(char character) {
		return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z')
				|| (character >= '0' && character <= '9');
	}

}
