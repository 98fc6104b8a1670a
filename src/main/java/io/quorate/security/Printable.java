package io.quorate.security;

import java.util.function.IntPredicate;

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
		return of(String.valueOf(text), maxLength, Printable::isPlain);
	}

	/**
	 * As {@link #of}, of a whole line with our own words: a backslash stays as it is, so
	 * that what is printable already does not change.
	 */
	static String line(String text, int maxLength) {
		return of(text, maxLength, (c) -> c == '\\' || isPlain(c));
	}

	private static String of(String sent, int maxLength, IntPredicate isKept) {
		if (sent.length() <= maxLength && sent.chars().allMatch(isKept)) {
			return sent;
		}
		StringBuilder printed = new StringBuilder();
		for (int at = 0; at < sent.length(); at++) {
			char c = sent.charAt(at);
			String next = isKept.test(c) ? String.valueOf(c) : escaped(c);
			if (printed.length() + next.length() > maxLength) {
				return printed.append(CUT).toString();
			}
			printed.append(next);
		}
		return printed.toString();
	}

	private static String escaped(char c) {
		return (c == '\\') ? "\\\\" : "\\u%04x".formatted((int) c);
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
