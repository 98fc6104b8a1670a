package io.quorate.command.access;

import io.quorate.client.RangeQuery;
import org.jspecify.annotations.Nullable;

/**
 * A range of keys, as a user asks for it. Immutable.
 *
 * @param prefix the beginning of all keys, {@code null} when the bounds say which
 * @param bounds first key and key behind the last
 * @param isReversed whether it begins at its last key
 * @param isKeysOnly whether there are no values
 * @param limit the most records
 * @param consistency how many replicas must answer
 */
public record Range(@Nullable String prefix, Bounds bounds, boolean isReversed, boolean isKeysOnly, long limit,
		ConsistencyOptions consistency) {

	private static final String NEXT = "\0";

	/* Few requests; a token that is taken out ends the range at the next of them. */
	private static final int PAGE = 10_000;

	/**
	 * The range for the client.
	 * @param behind the key behind which to begin, {@code null} for the whole range; only
	 * for an ascending range of bounds
	 */
	RangeQuery query(@Nullable String behind) {
		RangeQuery query = bounded((behind != null) ? behind + NEXT : this.bounds.start()).pageSize(PAGE);
		if (this.isReversed) {
			query = query.reverse();
		}
		return (this.limit < Long.MAX_VALUE) ? query.limit(this.limit) : query;
	}

	private RangeQuery bounded(@Nullable String start) {
		String end = this.bounds.end();
		if (this.prefix != null) {
			return RangeQuery.prefix(this.prefix);
		}
		if (start == null) {
			return (end != null) ? RangeQuery.before(end) : RangeQuery.all();
		}
		return (end != null) ? RangeQuery.between(start, end) : RangeQuery.from(start);
	}

	/**
	 * The bounds of a range.
	 *
	 * @param start the first key, {@code null} for the first of all
	 * @param end the key behind the last, {@code null} for none
	 */
	public record Bounds(@Nullable String start, @Nullable String end) {
	}

}
