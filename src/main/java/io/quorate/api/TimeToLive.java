package io.quorate.api;

import java.time.Duration;
import java.util.List;

import io.quorate.api.problem.ProblemException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * The time to live of a value: parameter {@code ttl} or header {@code Quorate-TTL}, in
 * whole seconds, from 1 s to 10 years. Both may stand if they say the same.
 */
final class TimeToLive {

	private static final String PARAMETER = "ttl";

	private static final String HEADER = "Quorate-TTL";

	private static final long MOST_SECONDS = Duration.ofDays(3650).toSeconds();

	private TimeToLive() {
	}

	/**
	 * Returns the time to live that a request asks for, {@code null} for ever.
	 * @throws ProblemException 400 when it is no number, out of bounds, or contradictory
	 */
	static @Nullable Duration of(RawQuery query, HttpHeaders headers) {
		String parameter = query.text(PARAMETER);
		String header = single(headers);
		Duration byParameter = (parameter != null) ? seconds("parameter 'ttl'", parameter) : null;
		Duration byHeader = (header != null) ? seconds("header Quorate-TTL", header) : null;
		if (byParameter != null && byHeader != null && !byParameter.equals(byHeader)) {
			throw ProblemException.badRequest("parameter 'ttl' is %s and header Quorate-TTL is %s: send one of them"
				.formatted(parameter, header));
		}
		return (byParameter != null) ? byParameter : byHeader;
	}

	private static @Nullable String single(HttpHeaders headers) {
		List<String> values = headers.getOrEmpty(HEADER);
		if (values.size() > 1) {
			throw ProblemException.badRequest("header Quorate-TTL must stand only once");
		}
		return values.isEmpty() ? null : values.getFirst();
	}

	/**
	 * Reads a time to live.
	 * @param what its name, for the message
	 * @throws ProblemException 400 when it is no number or out of bounds
	 */
	static Duration seconds(String what, String text) {
		return Duration.ofSeconds(WholeNumber.parse(what, text, 1, MOST_SECONDS));
	}

}
