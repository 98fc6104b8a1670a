package io.quorate.api.request;

import java.math.BigDecimal;

import io.quorate.api.problem.ProblemException;

/** Numbers in parameters and headers: decimal digits and nothing else. Pure. */
public final class WholeNumber {

	/** The largest number that is read. */
	public static final long MOST = 999_999_999_999_999_999L;

	private static final int MOST_DIGITS = 18;

	private WholeNumber() {
	}

	/**
	 * The digits of a number of JSON that is whole, however it is written: some programs
	 * write 5 as 5.0, or 3600 as 3.6e3. Any other text stays as it is.
	 */
	public static String ofJson(String number) {
		if (number.length() > 2 * MOST_DIGITS) {
			return number;
		}
		try {
			BigDecimal exact = new BigDecimal(number).stripTrailingZeros();
			boolean isReadable = exact.scale() <= 0 && exact.precision() - (long) exact.scale() <= MOST_DIGITS;
			return isReadable ? exact.toPlainString() : number;
		}
		catch (NumberFormatException _) {
			return number;
		}
	}

	/**
	 * Reads a number.
	 * @param what the name of the number, for the message
	 * @throws ProblemException 400 when it is none or out of bounds
	 */
	public static long parse(String what, String text, long least, long most) {
		if (text.isEmpty() || !text.chars().allMatch((c) -> c >= '0' && c <= '9')) {
			throw ProblemException.badRequest("%s is '%s', which is no whole number".formatted(what, text));
		}
		boolean readable = text.length() <= MOST_DIGITS;
		long number = readable ? Long.parseLong(text) : -1;
		if (!readable || number < least || number > most) {
			throw ProblemException
				.badRequest("%s is %s: it must be between %d and %d".formatted(what, text, least, most));
		}
		return number;
	}

}
