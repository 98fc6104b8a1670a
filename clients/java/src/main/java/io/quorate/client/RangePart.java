package io.quorate.client;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The lines of one answer to a request for a range: records, and the last line, which
 * says how many there are.
 *
 * @param <R> the kind of record
 */
final class RangePart<R> {

	/* The decoder of URLs puts it in the place of what is no text. */
	private static final char REPLACEMENT = '\uFFFD';

	private final Answer answer;

	private final RecordFormat<R> format;

	private final boolean isReverse;

	private @Nullable String previous;

	private long count;

	private boolean hasEnded;

	private @Nullable String cursor;

	RangePart(Answer answer, RecordFormat<R> format, boolean isReverse) {
		this.answer = answer;
		this.format = format;
		this.isReverse = isReverse;
	}

	/** Reads a whole answer. */
	static <R> Page<R> page(Answer answer, RecordFormat<R> format, boolean isReverse) {
		if (answer.status() != Answers.OK) {
			throw Problems.errorOf(answer, false);
		}
		RangePart<R> part = new RangePart<>(answer, format, isReverse);
		List<R> records = new ArrayList<>();
		for (byte[] line : Lines.of(answer.body())) {
			R item = part.read(line);
			if (item != null) {
				records.add(item);
			}
		}
		part.end(!Lines.areComplete(answer.body()));
		return new Page<>(records, part.cursor());
	}

	/**
	 * Reads a line.
	 * @return the record, {@code null} for the last line
	 */
	@Nullable R read(byte[] line) {
		Members members = Members.of(this.answer, line);
		if (this.hasEnded) {
			throw this.answer.invalid("with lines behind its last one");
		}
		if (members.has("last")) {
			readLast(members);
			return null;
		}
		R item = this.format.read(this.answer, members);
		String key = this.format.key(item);
		if (this.previous != null && !isBehind(key, this.previous)) {
			throw disorder();
		}
		this.previous = key;
		this.count++;
		return item;
	}

	InvalidAnswerException disorder() {
		return this.answer.invalid("with records out of order; the cursor may be of a range in the other direction");
	}

	/** Returns whether a key comes after another one in the direction of the range. */
	boolean isBehind(String key, String other) {
		return this.isReverse ? Keys.compare(key, other) < 0 : Keys.compare(key, other) > 0;
	}

	private void readLast(Members members) {
		if (!members.isTrue("last")) {
			throw this.answer.invalid("with a last line that is none");
		}
		long records = members.number("records");
		if (members.has("next")) {
			this.cursor = cursorOf(members.text("next"));
		}
		if (records != this.count || (this.cursor != null && this.count == 0)) {
			throw this.answer.invalid("with " + this.count + " records of " + records);
		}
		this.hasEnded = true;
	}

	private String cursorOf(String target) {
		String found = null;
		try {
			URI uri = new URI(target);
			if (Requests.ENTITIES.equals(uri.getRawPath()) && uri.getHost() == null && uri.getRawQuery() != null) {
				for (String each : uri.getRawQuery().split("&", -1)) {
					if (each.startsWith("cursor=")) {
						if (found != null) {
							throw this.answer.invalid("whose rest has two cursors");
						}
						found = URLDecoder.decode(each.substring("cursor=".length()), StandardCharsets.UTF_8);
					}
				}
			}
		}
		catch (URISyntaxException | IllegalArgumentException failure) {
			throw this.answer.invalid("whose rest is no URL", failure);
		}
		if (found == null || found.isEmpty() || found.indexOf(REPLACEMENT) >= 0) {
			throw this.answer.invalid("whose rest is no cursor");
		}
		return found;
	}

	/**
	 * Takes the end of the answer.
	 * @throws IncompleteRangeException if the last line is missing
	 */
	void end(boolean hasRest) {
		if (hasRest && this.hasEnded) {
			throw this.answer.invalid("with lines behind its last one");
		}
		if (!this.hasEnded) {
			throw new IncompleteRangeException(this.answer.node() + ": the last line is missing", 0, null, null);
		}
	}

	/** Returns the place of the rest, {@code null} at the end of the range. */
	@Nullable String cursor() {
		return this.cursor;
	}

}
