package io.quorate.client;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;

import org.jspecify.annotations.Nullable;

/**
 * The events of a stream of server-sent events that comes in pieces. Lines end at bytes
 * that no character of UTF-8 has within it, so a piece may end anywhere. Holds the events
 * of the pieces that it was fed, and one that has begun, of bounded size.
 */
final class ServerSentEvents {

	static final String MEDIA_TYPE = "text/event-stream";

	private static final byte[] BYTE_ORDER_MARK = { (byte) 0xEF, (byte) 0xBB, (byte) 0xBF };

	private static final int MOST_DIGITS = 9;

	private final String node;

	private final int longest;

	private final Deque<Event> events = new ArrayDeque<>();

	private final ByteArrayOutputStream line = new ByteArrayOutputStream();

	private boolean isFirstLine = true;

	private boolean isBehindReturn;

	private String type = "";

	private @Nullable ByteArrayOutputStream data;

	private @Nullable String id;

	private @Nullable Long retry;

	/**
	 * Creates a stream without an event.
	 * @param node the node, for messages
	 * @param longest the most bytes of an event, and of a line
	 */
	ServerSentEvents(String node, int longest) {
		this.node = node;
		this.longest = longest;
	}

	void feed(ByteBuffer bytes) {
		while (bytes.hasRemaining()) {
			int start = bytes.position();
			int end = start;
			while (end < bytes.limit() && bytes.get(end) != '\n' && bytes.get(end) != '\r') {
				end++;
			}
			checkSize(end - start);
			byte[] piece = new byte[end - start];
			bytes.get(piece);
			this.line.writeBytes(piece);
			if (bytes.hasRemaining()) {
				boolean isSecondHalf = this.isBehindReturn && piece.length == 0;
				byte next = bytes.get();
				this.isBehindReturn = next == '\r';
				if (next == '\r' || !isSecondHalf) {
					endLine();
				}
			}
			else {
				this.isBehindReturn &= piece.length == 0;
			}
		}
	}

	private void checkSize(int more) {
		long size = (long) this.line.size() + ((this.data != null) ? this.data.size() : 0);
		if (size + more > this.longest) {
			throw new AnswerTooLargeException(this.node + ": an event is larger than " + this.longest + " bytes", null);
		}
	}

	private void endLine() {
		byte[] bytes = this.line.toByteArray();
		this.line.reset();
		int start = 0;
		if (this.isFirstLine) {
			this.isFirstLine = false;
			start = startsWithMark(bytes) ? BYTE_ORDER_MARK.length : 0;
		}
		if (start == bytes.length) {
			endEvent();
			return;
		}
		int colon = start;
		while (colon < bytes.length && bytes[colon] != ':') {
			colon++;
		}
		int value = Math.min(bytes.length, colon + 1);
		if (value < bytes.length && bytes[value] == ' ') {
			value++;
		}
		take(text(bytes, start, colon), bytes, value);
	}

	private static boolean startsWithMark(byte[] bytes) {
		return bytes.length >= 3 && bytes[0] == BYTE_ORDER_MARK[0] && bytes[1] == BYTE_ORDER_MARK[1]
				&& bytes[2] == BYTE_ORDER_MARK[2];
	}

	private static String text(byte[] bytes, int start, int end) {
		return new String(bytes, start, end - start, StandardCharsets.UTF_8);
	}

	/* A comment is a field without a name. */
	private void take(String field, byte[] bytes, int value) {
		switch (field) {
			case "event" -> this.type = text(bytes, value, bytes.length);
			case "data" -> {
				ByteArrayOutputStream all = this.data;
				if (all == null) {
					all = new ByteArrayOutputStream();
					this.data = all;
				}
				else {
					all.write('\n');
				}
				checkSize(bytes.length - value);
				all.write(bytes, value, bytes.length - value);
			}
			case "id" -> {
				String text = text(bytes, value, bytes.length);
				if (text.indexOf('\0') < 0) {
					this.id = text;
				}
			}
			case "retry" -> {
				String text = text(bytes, value, bytes.length);
				if (!text.isEmpty() && text.chars().allMatch((each) -> each >= '0' && each <= '9')) {
					this.retry = Long.valueOf((text.length() <= MOST_DIGITS) ? text : "9".repeat(MOST_DIGITS));
				}
			}
			default -> {
				// Fields of later versions.
			}
		}
	}

	/* Only here an identity counts: the event before it is whole. */
	private void endEvent() {
		if (this.data != null || this.id != null) {
			this.events.addLast(new Event(this.type, (this.data != null) ? this.data.toByteArray() : new byte[0],
					(this.id != null && !this.id.isEmpty()) ? this.id : null));
		}
		this.type = "";
		this.data = null;
		this.id = null;
	}

	/** Returns the next event, {@code null} if its end has not come yet. */
	@Nullable Event poll() {
		return this.events.pollFirst();
	}

	boolean isEmpty() {
		return this.events.isEmpty();
	}

	/**
	 * Returns the milliseconds after which the node asks to try again, {@code null} if it
	 * has not said so.
	 */
	@Nullable Long retry() {
		return this.retry;
	}

	/** One event. */
	static final class Event {

		private final String type;

		private final byte[] data;

		private final @Nullable String id;

		Event(String type, byte[] data, @Nullable String id) {
			this.type = type;
			this.data = data;
			this.id = id;
		}

		/** Returns its name, empty without one. */
		String type() {
			return this.type;
		}

		/**
		 * Returns its lines of data, with line feeds between them; they are not copied.
		 */
		byte[] data() {
			return this.data;
		}

		/** Returns its identity, {@code null} without one. */
		@Nullable String id() {
			return this.id;
		}

		@Override
		public String toString() {
			return "Event[" + this.type + ", " + this.data.length + " bytes, " + this.id + "]";
		}

	}

}
