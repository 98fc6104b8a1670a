package io.quorate.api.entity;

import java.util.List;

import io.quorate.api.problem.Problem;
import io.quorate.api.problem.ProblemException;
import io.quorate.api.problem.ProblemType;
import io.quorate.api.request.Preconditions;
import io.quorate.entry.Entry;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpRange;

/**
 * The bytes of a value that a {@code GET} asks for (RFC 9110, 14): one range, or all of
 * them. Immutable.
 *
 * @param firstByte offset of the first byte
 * @param sizeBytes number of bytes
 * @param isPart whether the answer is {@code 206}
 */
public record ByteRange(int firstByte, int sizeBytes, boolean isPart) {

	/* Its letters may be large: RFC 9110, 14.1. */
	private static final String UNIT = "bytes=";

	/**
	 * The range that a request asks for. Several ranges, other units and what is not well
	 * formed ask for the whole value, as the standard allows.
	 * @throws ProblemException 416 when the value has no byte of the range
	 */
	public static ByteRange of(Entry.Live entry, HttpHeaders headers) {
		int valueBytes = entry.value().size();
		HttpRange range = headers.containsHeader(HttpHeaders.RANGE) ? single(headers) : null;
		if (range == null || !Preconditions.isOfRange(entry, headers)) {
			return new ByteRange(0, valueBytes, false);
		}
		long first = range.getRangeStart(valueBytes);
		long last = range.getRangeEnd(valueBytes);
		if (first >= valueBytes || last < first) {
			throw new ProblemException(Problem
				.of(ProblemType.RANGE_NOT_SATISFIABLE,
						"the value has %d bytes, and none of them is in the range".formatted(valueBytes))
				.withHeader(HttpHeaders.CONTENT_RANGE, "bytes */" + valueBytes));
		}
		return new ByteRange((int) first, (int) (last - first + 1), true);
	}

	/**
	 * Requires that the body of a write is a whole value (RFC 9110, 14.5).
	 * @throws ProblemException 400 when it is a part of one
	 */
	static void refusePart(HttpHeaders headers) {
		if (headers.containsHeader(HttpHeaders.CONTENT_RANGE)) {
			throw ProblemException.badRequest(
					"header Content-Range says that the body is a part of a value: a write replaces the whole value, so send all of it");
		}
	}

	private static @Nullable HttpRange single(HttpHeaders headers) {
		String field = String.valueOf(headers.getFirst(HttpHeaders.RANGE));
		if (!field.regionMatches(true, 0, UNIT, 0, UNIT.length())) {
			return null;
		}
		try {
			List<HttpRange> ranges = HttpRange.parseRanges(UNIT + field.substring(UNIT.length()));
			return (ranges.size() == 1) ? ranges.getFirst() : null;
		}
		catch (IllegalArgumentException _) {
			return null;
		}
	}

	/** The field {@code Content-Range} of an answer with this part of a value. */
	String contentRange(int valueBytes) {
		return "bytes %d-%d/%d".formatted(this.firstByte, this.firstByte + this.sizeBytes - 1, valueBytes);
	}

}
