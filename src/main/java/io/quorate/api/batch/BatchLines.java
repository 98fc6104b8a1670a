package io.quorate.api.batch;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

import io.quorate.api.problem.Problem;
import io.quorate.api.problem.ProblemException;
import io.quorate.api.problem.ProblemType;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

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

	/* To look at them takes an event loop a fraction of a millisecond. */
	static final int BYTES_IN_A_TURN = 256 * 1024;

	private final byte[] body;

	private final int maxItems;

	/* Where the line begins that is looked at, and how far it was. */
	private int begun;

	private int at;

	/* Of each line, its first byte and the one behind its last. */
	private int[] places = new int[2 * FIRST_LINES];

	private int count;

	private BatchLines(byte[] body, int maxItems) {
		this.body = body;
		this.maxItems = maxItems;
		boolean isMarked = body.length >= BYTE_ORDER_MARK.length
				&& Arrays.equals(body, 0, BYTE_ORDER_MARK.length, BYTE_ORDER_MARK, 0, BYTE_ORDER_MARK.length);
		this.begun = isMarked ? BYTE_ORDER_MARK.length : 0;
		this.at = this.begun;
	}

	/**
	 * Finds the lines of a body, a part of a large one in each turn. Starts when
	 * subscribed, in the first turn; cancelled, it ends with the next.
	 * @return fails with a {@link ProblemException} (413) when they are too many
	 */
	static Mono<BatchLines> of(byte[] body, int maxItems, Executor turns) {
		return Mono.create((sink) -> {
			BatchLines lines = new BatchLines(body, maxItems);
			AtomicBoolean isCancelled = new AtomicBoolean();
			sink.onCancel(() -> isCancelled.set(true));
			lines.find(sink, isCancelled, turns);
		});
	}

	private void find(MonoSink<BatchLines> sink, AtomicBoolean isCancelled, Executor turns) {
		try {
			if (isCancelled.get()) {
				return;
			}
			if (find(BYTES_IN_A_TURN)) {
				sink.success(this);
			}
			else {
				turns.execute(() -> find(sink, isCancelled, turns));
			}
		}
		catch (RuntimeException | Error failure) {
			sink.error(failure);
		}
	}

	/**
	 * Finds the lines of a body.
	 * @throws ProblemException 413 when they are too many
	 */
	static BatchLines of(byte[] body, int maxItems) {
		BatchLines lines = new BatchLines(body, maxItems);
		lines.find(body.length);
		return lines;
	}

	/* Returns whether it has come to the end of the body. */
	private boolean find(int bytes) {
		int to = Math.min(this.body.length, this.at + bytes);
		for (int place = this.at; place < to; place++) {
			if (this.body[place] == '\n') {
				add(this.begun, place);
				this.begun = place + 1;
			}
		}
		this.at = to;
		boolean isOver = to == this.body.length;
		if (isOver) {
			add(this.begun, to);
		}
		return isOver;
	}

	private void add(int lineFrom, int lineTo) {
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
		if (this.count == this.maxItems) {
			throw new ProblemException(Problem.of(ProblemType.TOO_MANY_ITEMS,
					"the batch has more lines than quorate.api.batch.max-items, %d".formatted(this.maxItems)));
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
