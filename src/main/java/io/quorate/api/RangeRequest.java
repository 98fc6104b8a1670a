package io.quorate.api;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.quorate.api.problem.ProblemException;
import io.quorate.coordinator.Consistency;
import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * A request for a range of keys.
 *
 * @param start first key, inclusive
 * @param end end, exclusive, or {@code null} for the end of all keys
 * @param limit most records, {@link Long#MAX_VALUE} for all
 * @param consistency the consistency with which each key is read
 * @param timeout time that each page may take
 * @param terms the parameters that also apply to the rest of the range, as they stand in
 * a query behind others
 */
record RangeRequest(Key start, @Nullable Key end, long limit, Consistency consistency, Duration timeout, String terms) {

	static final Set<String> PARAMETERS = Set.of("start", "end", "prefix", "cursor", "limit", "replicas", "ack",
			"from");

	private static final String CURSOR = "cursor";

	private static final String LIMIT = "limit";

	/* What a cursor says, too. */
	private static final List<String> REPLACED_BY_A_CURSOR = List.of("start", "end", "prefix");

	private static final List<String> TERMS = List.of(LIMIT, "replicas", "ack", "from");

	/**
	 * Reads the parameters of a request.
	 * @throws ProblemException 400 when something is missing or wrong
	 */
	static RangeRequest of(ServerHttpRequest request, int replicationFactor, RequestTimeout timeout) {
		RawQuery query = RawQuery.of(request).knowing(PARAMETERS);
		RangeCursor range = range(query);
		return new RangeRequest(range.start(), range.end(), limit(query),
				ConsistencyParameters.of(query, replicationFactor), timeout.of(request.getHeaders()), terms(query));
	}

	private static RangeCursor range(RawQuery query) {
		String cursor = query.text(CURSOR);
		if (cursor != null) {
			for (String replaced : REPLACED_BY_A_CURSOR) {
				if (query.raw(replaced) != null) {
					throw ProblemException.badRequest(
							"parameter 'cursor' stands beside '%s': it stands for the rest of a range, with all of its bounds"
								.formatted(replaced));
				}
			}
			return RangeCursor.parse(cursor);
		}
		Key prefix = KeyParameter.optional(query, "prefix");
		if (prefix != null && (query.raw("start") != null || query.raw("end") != null)) {
			throw ProblemException
				.badRequest("parameter 'prefix' stands beside 'start' or 'end': it stands for both of them");
		}
		Key start = (prefix != null) ? prefix : KeyParameter.start(query, "start");
		Key end = (prefix != null) ? KeyParameter.afterAllWith(prefix) : KeyParameter.optional(query, "end");
		return new RangeCursor(start, end);
	}

	private static long limit(RawQuery query) {
		String limit = query.text(LIMIT);
		return (limit != null) ? WholeNumber.parse("parameter 'limit'", limit, 1, WholeNumber.MOST) : Long.MAX_VALUE;
	}

	private static String terms(RawQuery query) {
		StringBuilder terms = new StringBuilder();
		for (String name : TERMS) {
			String value = query.raw(name);
			if (value != null) {
				terms.append('&').append(name).append('=').append(value);
			}
		}
		return terms.toString();
	}

	/** Whether no key can be in the range. */
	boolean isEmpty() {
		return this.end != null && this.end.compareTo(this.start) <= 0;
	}

	boolean isLimited() {
		return this.limit < Long.MAX_VALUE;
	}

	/** Path and query of the request that continues behind a key. */
	String next(Key last) {
		RangeCursor rest = new RangeCursor(KeyParameter.behind(last), this.end);
		return RangeController.PATH + "?" + CURSOR + "=" + rest.text() + this.terms;
	}

}
