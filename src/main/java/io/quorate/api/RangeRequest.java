package io.quorate.api;

import java.time.Duration;
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
 * @param limit most records
 * @param consistency the consistency with which each key is read
 * @param timeout time that each page may take
 */
record RangeRequest(Key start, @Nullable Key end, long limit, Consistency consistency, Duration timeout) {

	static final Set<String> PARAMETERS = Set.of("start", "end", "prefix", "limit", "replicas", "ack", "from");

	/**
	 * Reads the parameters of a request.
	 * @throws ProblemException 400 when something is missing or wrong
	 */
	static RangeRequest of(ServerHttpRequest request, int replicationFactor, RequestTimeout timeout) {
		RawQuery query = RawQuery.of(request).knowing(PARAMETERS);
		Key prefix = KeyParameter.optional(query, "prefix");
		if (prefix != null && (query.raw("start") != null || query.raw("end") != null)) {
			throw ProblemException
				.badRequest("parameter 'prefix' stands beside 'start' or 'end': it stands for both of them");
		}
		Key start = (prefix != null) ? prefix : KeyParameter.start(query, "start");
		Key end = (prefix != null) ? KeyParameter.afterAllWith(prefix) : KeyParameter.optional(query, "end");
		return new RangeRequest(start, end, limit(query), ConsistencyParameters.of(query, replicationFactor),
				timeout.of(request.getHeaders()));
	}

	private static long limit(RawQuery query) {
		String limit = query.text("limit");
		return (limit != null) ? WholeNumber.parse("parameter 'limit'", limit, 1, WholeNumber.MOST) : Long.MAX_VALUE;
	}

	/** Whether no key can be in the range. */
	boolean isEmpty() {
		return this.end != null && this.end.compareTo(this.start) <= 0;
	}

}
