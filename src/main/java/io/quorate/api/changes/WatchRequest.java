package io.quorate.api.changes;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.quorate.api.problem.ProblemException;
import io.quorate.api.range.RangeRequest;
import io.quorate.api.request.KeyParameter;
import io.quorate.api.request.RawQuery;
import io.quorate.api.request.TimeToLive;
import io.quorate.api.request.WaitTime;
import io.quorate.entry.ScanRange;
import io.quorate.watch.WatchCursor;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * A request for the changes of a range of keys.
 *
 * @param range the range
 * @param cursor the point from which the client goes on, {@code null} for the present
 * @param isResumed whether it goes on with the last event that it has got, as browsers do
 * by themselves
 * @param hasValues whether the client wants values
 * @param pollTime the longest time of a poll, {@code null} for a stream
 */
public record WatchRequest(ScanRange range, @Nullable WatchCursor cursor, boolean isResumed, boolean hasValues,
		@Nullable Duration pollTime) {

	private static final String CURSOR = "cursor";

	private static final String VALUE = "value";

	/** The parameters that it knows. */
	public static final Set<String> PARAMETERS = Set.of(KeyParameter.KEY, KeyParameter.ID, "prefix", "start", "end",
			CURSOR, VALUE, WaitTime.PARAMETER);

	private static final String LAST_EVENT_ID = "Last-Event-ID";

	private static final List<String> OF_RANGES = List.of("prefix", "start", "end");

	/**
	 * Reads the parameters of a request.
	 * @throws ProblemException 400 when something is wrong
	 */
	static WatchRequest of(ServerHttpRequest request) {
		RawQuery query = RawQuery.of(request);
		HttpHeaders headers = request.getHeaders();
		TimeToLive.refuse(query, headers);
		query.knowing(PARAMETERS);
		if (headers.getContentLength() > 0 || headers.containsHeader(HttpHeaders.TRANSFER_ENCODING)) {
			throw ProblemException.badRequest("a watch has no body");
		}
		ScanRange range = range(query);
		String inQuery = query.text(CURSOR);
		String last = headers.getFirst(LAST_EVENT_ID);
		boolean isResumed = last != null && !last.isEmpty();
		WatchCursor cursor = (last != null && isResumed) ? cursor("header " + LAST_EVENT_ID, last, range)
				: (inQuery != null) ? cursor("parameter 'cursor'", inQuery, range) : null;
		return new WatchRequest(range, cursor, isResumed, query.flag(VALUE), WaitTime.ofWatch(query));
	}

	private static ScanRange range(RawQuery query) {
		String named = (query.raw(KeyParameter.KEY) != null) ? KeyParameter.KEY : KeyParameter.ID;
		if (query.raw(named) == null) {
			return RangeRequest.keys(query);
		}
		for (String other : OF_RANGES) {
			if (query.raw(other) != null) {
				throw ProblemException.badRequest(
						"parameter '%s' stands beside '%s': a watch is of a key or of a range".formatted(named, other));
			}
		}
		return ScanRange.only(KeyParameter.of(query));
	}

	private static WatchCursor cursor(String what, String text, ScanRange range) {
		WatchCursor cursor = WatchCursor.parse(text)
			.orElseThrow(() -> ProblemException.badRequest(what
					+ " is none that a node gave, or is damaged: take it as it stands in 'id' of an event or in \"cursor\""));
		if (!cursor.isOf(range)) {
			throw ProblemException
				.badRequest(what + " is of another range: a watch goes on with the range with which it has begun");
		}
		return cursor;
	}

}
