package io.quorate.client;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** The lines of a body that comes in pieces. */
final class Lines {

	private final String node;

	private final int longest;

	private final Deque<byte[]> lines = new ArrayDeque<>();

	private ByteArrayOutputStream begun = new ByteArrayOutputStream();

	Lines(String node, int longest) {
		this.node = node;
		this.longest = longest;
	}

	/**
	 * Returns the lines of a text, without its rest behind the last line feed.
	 * @param text the text
	 */
	static List<byte[]> of(byte[] text) {
		Lines lines = new Lines("", Integer.MAX_VALUE);
		lines.feed(ByteBuffer.wrap(text));
		return new ArrayList<>(lines.lines);
	}

	/** Returns whether a text ends with the end of a line, or is empty. */
	static boolean areComplete(byte[] text) {
		return text.length == 0 || text[text.length - 1] == '\n';
	}

	void feed(ByteBuffer bytes) {
		while (bytes.hasRemaining()) {
			int start = bytes.position();
			int end = start;
			while (end < bytes.limit() && bytes.get(end) != '\n') {
				end++;
			}
			byte[] piece = new byte[end - start];
			bytes.get(piece);
			if ((long) this.begun.size() + piece.length > this.longest) {
				throw new AnswerTooLargeException(
						this.node + ": a line is larger than maxAnswerSize, " + this.longest + " bytes", null);
			}
			this.begun.writeBytes(piece);
			if (bytes.hasRemaining()) {
				bytes.get();
				this.lines.addLast(this.begun.toByteArray());
				this.begun = new ByteArrayOutputStream();
			}
		}
	}

	/** Returns the next line, {@code null} if it has not come yet. */
	byte @Nullable [] poll() {
		return this.lines.pollFirst();
	}

	/** Returns whether there are bytes behind the last line feed. */
	boolean hasRest() {
		return this.begun.size() > 0;
	}

}
