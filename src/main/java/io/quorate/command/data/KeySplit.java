package io.quorate.command.data;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.quorate.command.terminal.KeyConverter;

/**
 * The division of a range of keys into parts. It knows the first and the last key alone,
 * and interpolates between them: parts have about as many keys if the keys are spread
 * evenly. Keys that are not make uneven parts, and none that is wrong.
 */
final class KeySplit {

	/*
	 * Of what keys are mostly made, from few characters to many; each in ascending order.
	 */
	private static final List<String> ALPHABETS = List.of("0123456789", "0123456789abcdef", "0123456789ABCDEF",
			"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", printable());

	private static final int DIGITS = 5;

	private final String alphabet;

	private KeySplit(String alphabet) {
		this.alphabet = alphabet;
	}

	private static String printable() {
		StringBuilder all = new StringBuilder();
		for (char c = ' '; c <= '~'; c++) {
			all.append(c);
		}
		return all.toString();
	}

	/**
	 * The first keys of all parts but the first, in ascending order.
	 * @param parts the wanted number of parts; there may be fewer
	 */
	static List<String> borders(String first, String last, int parts) {
		int common = common(first, last);
		String edges = digits(first, common) + digits(last, common);
		String alphabet = ALPHABETS.stream()
			.filter((each) -> edges.chars().allMatch((c) -> each.indexOf(c) >= 0))
			.findFirst()
			.orElse(ALPHABETS.getLast());
		return new KeySplit(alphabet).between(first, last, common, parts);
	}

	private List<String> between(String first, String last, int common, int parts) {
		String prefix = first.substring(0, common);
		long low = number(digits(first, common));
		long high = number(digits(last, common));
		List<String> borders = new ArrayList<>();
		String before = first;
		for (int i = 1; i < parts; i++) {
			String border = prefix + text(low + (high - low) * i / parts);
			if (isKey(border) && compare(border, before) > 0 && compare(border, last) <= 0) {
				borders.add(border);
				before = border;
			}
		}
		return borders;
	}

	private static String digits(String key, int from) {
		return key.substring(from, Math.min(key.length(), from + DIGITS));
	}

	/* Not in the middle of a code point. */
	private static int common(String first, String last) {
		int at = 0;
		while (at < first.length() && at < last.length() && first.codePointAt(at) == last.codePointAt(at)) {
			at += Character.charCount(first.codePointAt(at));
		}
		return at;
	}

	/* A character that is none of the alphabet counts as the one before it. */
	private long number(String digits) {
		long number = 0;
		for (int i = 0; i < DIGITS; i++) {
			number = number * this.alphabet.length() + ((i < digits.length()) ? place(digits.charAt(i)) : 0);
		}
		return number;
	}

	private int place(char c) {
		int place = 0;
		while (place + 1 < this.alphabet.length() && this.alphabet.charAt(place + 1) <= c) {
			place++;
		}
		return place;
	}

	private String text(long number) {
		char[] digits = new char[DIGITS];
		long rest = number;
		for (int i = DIGITS - 1; i >= 0; i--) {
			digits[i] = this.alphabet.charAt((int) (rest % this.alphabet.length()));
			rest /= this.alphabet.length();
		}
		return new String(digits);
	}

	private static boolean isKey(String border) {
		return border.getBytes(StandardCharsets.UTF_8).length <= KeyConverter.MOST_BYTES;
	}

	private static int compare(String one, String other) {
		return Arrays.compareUnsigned(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
	}

}
