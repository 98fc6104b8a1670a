package io.quorate.api.watch;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * The place of a request in a trace: the header field {@code traceparent} of the W3C.
 *
 * @param text the field's value in version 00
 */
record TraceParent(String text) {

	static final String HEADER = "traceparent";

	private static final int TRACE_ID = 3;

	private static final int SPAN_ID = 36;

	private static final int FLAGS = 53;

	private static final int LENGTH = 55;

	private static final String SHAPE = "xx-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-xxxxxxxxxxxxxxxx-xx";

	/**
	 * Returns the field of a request, {@code null} when there is none that is valid: then
	 * it is to be ignored.
	 */
	static @Nullable TraceParent of(HttpHeaders headers) {
		String sent = headers.getFirst(HEADER);
		return (sent != null && headers.getOrEmpty(HEADER).size() == 1) ? parse(sent) : null;
	}

	/** Reads a field's value; returns {@code null} when it is not valid. */
	static @Nullable TraceParent parse(String sent) {
		if (!hasShape(sent) || sent.startsWith("ff") || isZero(sent, TRACE_ID, SPAN_ID - 1)
				|| isZero(sent, SPAN_ID, FLAGS - 1)) {
			return null;
		}
		if (sent.startsWith("00")) {
			return (sent.length() == LENGTH) ? new TraceParent(sent) : null;
		}
		boolean isWhole = sent.length() == LENGTH || sent.charAt(LENGTH) == '-';
		return isWhole ? new TraceParent("00" + sent.substring(2, FLAGS) + "0" + (isSampled(sent) ? '1' : '0')) : null;
	}

	private static boolean hasShape(String sent) {
		if (sent.length() < LENGTH) {
			return false;
		}
		for (int i = 0; i < LENGTH; i++) {
			char c = sent.charAt(i);
			boolean isHex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
			if ((SHAPE.charAt(i) == '-') ? c != '-' : !isHex) {
				return false;
			}
		}
		return true;
	}

	private static boolean isZero(String sent, int from, int to) {
		for (int i = from; i < to; i++) {
			if (sent.charAt(i) != '0') {
				return false;
			}
		}
		return true;
	}

	private static boolean isSampled(String sent) {
		return (Character.digit(sent.charAt(LENGTH - 1), 16) & 1) == 1;
	}

	/** The id of the trace. */
	String traceId() {
		return this.text.substring(TRACE_ID, SPAN_ID - 1);
	}

}
