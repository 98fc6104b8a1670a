package io.quorate.security;

import org.jspecify.annotations.Nullable;

/**
 * Text of a peer or client in a form that may be logged: cut to a length, on one line,
 * and with everything escaped that a terminal or a reader could take for something else.
 */
public final class Printable {

	private static final String CUT = "...";

	private Printable() {
	}

	/**
	 * The printable form of a text.
	 * @param text the text that a peer or client has sent; {@code null} is printed as
	 * such
	 * @param maxLength most characters that are printed; a longer text ends with dots
	 */
	public static String of(@Nullable Object text, int maxLength) {
		String sent = String.valueOf(text);
		if (sent.length() <= maxLength && sent.chars().allMatch(Printable::isPlain)) {
			return sent;
		}
		StringBuilder printed = new StringBuilder(maxLength + CUT.length());
		for (int at = 0; at < sent.length(); at++) {
			String next = escaped(sent.charAt(at));
			if (printed.length() + next.length() > maxLength) {
				return printed.append(CUT).toString();
			}
			printed.append(next);
		}
		return printed.toString();
	}

	private static String escaped(char c) {
		return isPlain(c) ? String.valueOf(c) : (c == '\\') ? "\\\\" : "\\u%04x".formatted((int) c);
	}

	/* Surrogates are escaped, whole or not: the reader loses little. */
	private static boolean isPlain(int c) {
		return c != '\\' && switch (Character.getType(c)) {
			case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
					Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED ->
				false;
			default -> true;
		};
	}

}
