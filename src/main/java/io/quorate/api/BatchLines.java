package io.quorate.api;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import io.quorate.api.problem.Problem;
import io.quorate.api.problem.ProblemException;
import io.quorate.api.problem.ProblemType;

/**
 * The lines of a batch's body, as places in it. White space around a line does not belong
 * to it. Lines of nothing else are left out, and so are the line at the end of a range
 * and a byte order mark before the first line.
 */
final class BatchLines {

	private static final int FIRST_LINES = 64;

	private static final byte[] BYTE_ORDER_MARK = { (byte) 0xef, (byte) 0xbb, (byte) 0xbf };

	/* What a range writes behind its records. */
	private static final byte[] END_OF_RANGE = "{\"last\":true,\"records\":".getBytes(StandardCharsets.US_ASCII);

	private final byte[] body;

	/* Of each line, its first byte and the one behind its last. */
	private int[] places = new int[2 * FIRST_LINES];

	private int count;

	private BatchLines(byte[] body) {
		this.body = body;
	}

	/**
	 * Finds the lines of a body.
	 * @throws ProblemException 413 when they are too many
	 */
	static BatchLines of(byte[] body, int maxItems) {
		BatchLines lines = new BatchLines(body);
		boolean isMarked = body.length >= BYTE_ORDER_MARK.length
				&& Arrays.equals(body, 0, BYTE_ORDER_MARK.length, BYTE_ORDER_MARK, 0, BYTE_ORDER_MARK.length);
		int from = isMarked ? BYTE_ORDER_MARK.length : 0;
		for (int at = from; at <= body.length; at++) {
			if (at == body.length || body[at] == '\n') {
				lines.add(from, at, maxItems);
				from = at + 1;
			}
		}
		return lines;
	}

	private void add(int lineFrom, int lineTo, int maxItems) {
		int from = lineFrom;
		int to = lineTo;
		while (from < to && isSpace(this.body[from])) {
			from++;
		}
		while (from < to && isSpace(this.body[to - 1])) {
			to--;
		}
		if (from == to || isEndOfRange(from, to)) {
			return;
		}
		if (this.count == maxItems) {
			throw new ProblemException(Problem.of(ProblemType.TOO_MANY_ITEMS,
					"the batch has more lines than quorate.api.batch.max-items, %d".formatted(maxItems)));
		}
		if (2 * this.count == this.places.length) {
			this.places = Arrays.copyOf(this.places, 2 * this.places.length);
		}
		this.places[2 * this.count] = from;
		this.places[2 * this.count + 1] = to;
		this.count++;
	}

	private boolean isEndOfRange(int from, int to) {
		return to - from > END_OF_RANGE.length
				&& Arrays.equals(this.body, from, from + END_OF_RANGE.length, END_OF_RANGE, 0, END_OF_RANGE.length);
	}

	private static boolean isSpace(byte b) {
		return b == ' ' || b == '\t' || b == '\r';
	}

	/** The array in which the lines stand. */
	byte[] body() {
		return this.body;
	}

	/** Number of lines. */
	int count() {
		return this.count;
	}

	/** Place of the first byte of a line. */
	int from(int line) {
		return this.places[2 * line];
	}

	/** Place behind the last byte of a line. */
	int to(int line) {
		return this.places[2 * line + 1];
	}

}
