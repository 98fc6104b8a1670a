package io.quorate.api.range;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.quorate.api.problem.ProblemException;
import io.quorate.api.request.ConsistencyParameters;
import io.quorate.api.request.KeyParameter;
import io.quorate.api.request.Protocol;
import io.quorate.api.request.RawQuery;
import io.quorate.api.request.RequestTimeout;
import io.quorate.api.request.TimeToLive;
import io.quorate.api.request.WholeNumber;
import io.quorate.coordinator.Consistency;
import io.quorate.entry.Key;
import io.quorate.entry.ScanRange;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * A request for a range of keys.
 *
 * @param range the range, in whose direction the records come
 * @param isKeysOnly whether the client wants no values
 * @param limit most records, {@link Long#MAX_VALUE} for all
 * @param consistency the consistency with which each key is read
 * @param timeout time that each page may take
 * @param terms the parameters that also apply to the rest of the range, as they stand in
 * a query behind others
 */
public record RangeRequest(ScanRange range, boolean isKeysOnly, long limit, Consistency consistency, Duration timeout,
		String terms) {

	/** The parameters that it knows. */
	public static final Set<String> PARAMETERS = Set.of("start", "end", "prefix", "reverse", "keys", "cursor", "limit",
			"replicas", "ack", "from");

	private static final String CURSOR = "cursor";

	private static final String LIMIT = "limit";

	/* What a cursor says, too. */
	private static final List<String> REPLACED_BY_A_CURSOR = List.of("start", "end", "prefix", "reverse", "keys");

	private static final List<String> TERMS = List.of(LIMIT, "replicas", "ack", "from");

	private static final Key LEAST_KEY = Key.wrap(new byte[1]);

	/**
	 * Reads the parameters of a request.
	 * @throws ProblemException 400 when something is missing or wrong
	 */
	static RangeRequest of(ServerHttpRequest request, int replicationFactor, RequestTimeout timeout) {
		RawQuery query = RawQuery.of(request);
		TimeToLive.refuse(query, request.getHeaders());
		query.knowing(PARAMETERS);
		String cursor = query.text(CURSOR);
		RangeCursor range = (cursor != null) ? continued(query, cursor)
				: new RangeCursor(range(query), query.flag("keys"));
		return new RangeRequest(range.rest(), range.isKeysOnly(), limit(query),
				ConsistencyParameters.of(query, replicationFactor), timeout.of(request.getHeaders()), terms(query));
	}

	private static RangeCursor continued(RawQuery query, String cursor) {
		for (String replaced : REPLACED_BY_A_CURSOR) {
			if (query.raw(replaced) != null) {
				throw ProblemException
					.badRequest("parameter 'cursor' stands beside '%s': it stands for the rest of a range, as it began"
						.formatted(replaced));
			}
		}
		return RangeCursor.parse(cursor);
	}

	private static ScanRange range(RawQuery query) {
		boolean isDescending = query.flag("reverse");
		return isDescending ? range(query, LEAST_KEY, true) : range(query, null, false);
	}

	/**
	 * The keys that the parameters {@code prefix}, {@code start} and {@code end} name, in
	 * ascending order: without any of them all keys.
	 * @throws ProblemException 400 when something is wrong
	 */
	public static ScanRange keys(RawQuery query) {
		return range(query, LEAST_KEY, false);
	}

	/* Without a least key there has to be a prefix or a start. */
	private static ScanRange range(RawQuery query, @Nullable Key least, boolean isDescending) {
		Key prefix = KeyParameter.optional(query, "prefix");
		if (prefix == null) {
			return new ScanRange(start(query, least), KeyParameter.optionalEnd(query, "end"), isDescending);
		}
		if (query.raw("start") != null || query.raw("end") != null) {
			throw ProblemException
				.badRequest("parameter 'prefix' stands beside 'start' or 'end': it stands for both of them");
		}
		return new ScanRange(prefix, KeyParameter.afterAllWith(prefix), isDescending);
	}

	private static Key start(RawQuery query, @Nullable Key least) {
		if (query.raw("start") != null) {
			return KeyParameter.start(query, "start");
		}
		if (least == null) {
			throw ProblemException
				.badRequest("parameter 'start' is missing: it is the first key of the range, %00 for the first of all; "
						+ "'prefix', 'cursor' or 'reverse=true' may stand instead");
		}
		return least;
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

	boolean isLimited() {
		return this.limit < Long.MAX_VALUE;
	}

	/** Path and query of the request that continues behind a key. */
	String next(Key last) {
		Key border = this.range.isDescending() ? last : KeyParameter.behind(last);
		RangeCursor rest = new RangeCursor(this.range.restFrom(border), this.isKeysOnly);
		return Protocol.RANGE + "?" + CURSOR + "=" + rest.text() + this.terms;
	}

}
