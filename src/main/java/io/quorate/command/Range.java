package io.quorate.command;

import org.jspecify.annotations.Nullable;

/**
 * A range of keys, as a user asks for it.
 *
 * @param prefix the beginning of all keys, {@code null} when the bounds say which
 * @param bounds first key and key behind the last
 * @param isReversed whether it begins at its last key
 * @param isKeysOnly whether there are no values
 * @param limit the most records
 * @param consistency how many replicas must answer
 */
record Range(@Nullable String prefix, Bounds bounds, boolean isReversed, boolean isKeysOnly, long limit,
		ConsistencyOptions consistency) {

	private static final String FIRST = "\0";

	/** The request for the whole range. */
	Call call() {
		return call(null, this.limit);
	}

	/** The request for what is behind a key, in the direction of the range. */
	Call rest(String last, long records) {
		return call(last, records);
	}

	private Call call(@Nullable String last, long records) {
		Call call = this.consistency.on(Call.get("/v0/entities?keys=" + this.isKeysOnly));
		if (this.isReversed) {
			call = call.with("reverse", true);
		}
		if (records < Long.MAX_VALUE) {
			call = call.with("limit", records);
		}
		return bounded(call, last);
	}

	private Call bounded(Call call, @Nullable String last) {
		if (this.prefix != null && last == null) {
			return call.with("prefix", this.prefix);
		}
		if (this.isReversed) {
			return call.with("start", (this.prefix != null) ? this.prefix : this.bounds.start())
				.with("end", (last != null) ? last : this.bounds.end());
		}
		String start = (this.bounds.start() != null) ? this.bounds.start() : FIRST;
		return call.with("start", (last != null) ? last + FIRST : start).with("end", end());
	}

	private @Nullable String end() {
		return (this.prefix != null) ? Keys.behindAllWith(this.prefix) : this.bounds.end();
	}

	/**
	 * The bounds of a range.
	 *
	 * @param start the first key, {@code null} for the first of all
	 * @param end the key behind the last, {@code null} for none
	 */
	record Bounds(@Nullable String start, @Nullable String end) {
	}

}
