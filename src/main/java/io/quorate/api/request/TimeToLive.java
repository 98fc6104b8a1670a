package io.quorate.api.request;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.quorate.api.problem.ProblemException;
import io.quorate.clock.TimeSource;
import io.quorate.coordinator.Content;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * The time to live of a value: parameter {@code ttl} or header {@code Quorate-TTL}, in
 * whole seconds, from 1 s to 10 years. Both may stand if they say the same.
 */
public final class TimeToLive {

	private static final String PARAMETER = "ttl";

	private static final String HEADER = "Quorate-TTL";

	private static final long MOST_SECONDS = Duration.ofDays(3650).toSeconds();

	private static final String KEEP = "keep";

	private TimeToLive() {
	}

	/**
	 * Returns the time to live that a request asks for, {@code null} for ever.
	 * @throws ProblemException 400 when it is no number, out of bounds, or contradictory
	 */
	public static @Nullable Duration of(RawQuery query, HttpHeaders headers) {
		String parameter = query.text(PARAMETER);
		String header = single(headers);
		Duration byParameter = (parameter != null) ? seconds("parameter 'ttl'", parameter) : null;
		Duration byHeader = (header != null) ? seconds("header Quorate-TTL", header) : null;
		if (byParameter != null && byHeader != null && !byParameter.equals(byHeader)) {
			throw contradictory(parameter, header);
		}
		return (byParameter != null) ? byParameter : byHeader;
	}

	private static ProblemException contradictory(@Nullable String parameter, @Nullable String header) {
		return ProblemException.badRequest(
				"parameter 'ttl' is %s and header Quorate-TTL is %s: send one of them".formatted(parameter, header));
	}

	/**
	 * Returns the time to live that a write asks for, {@link Content#KEEP} for
	 * {@code keep}.
	 * @param isConditional whether it depends on what it replaces
	 * @throws ProblemException 400 as {@link #of}, and when there is nothing to keep
	 */
	public static @Nullable Duration ofWrite(RawQuery query, HttpHeaders headers, boolean isConditional) {
		String parameter = query.text(PARAMETER);
		String header = single(headers);
		if (!KEEP.equals(parameter) && !KEEP.equals(header)) {
			return of(query, headers);
		}
		if (parameter != null && header != null && !parameter.equals(header)) {
			throw contradictory(parameter, header);
		}
		return kept((parameter != null) ? "parameter 'ttl'" : "header Quorate-TTL", isConditional);
	}

	/**
	 * That the expiry stays.
	 * @param what the name of what says so, for the message
	 * @throws ProblemException 400 without a condition
	 */
	public static Duration kept(String what, boolean isConditional) {
		if (!isConditional) {
			throw ProblemException
				.badRequest("%s is keep, which is for a write on a condition: send If-Match, or the time itself"
					.formatted(what));
		}
		return Content.KEEP;
	}

	/**
	 * The time to live that a touch asks for.
	 * @throws ProblemException 400 when it asks for none, or as {@link #of}
	 */
	public static Duration ofTouch(RawQuery query, HttpHeaders headers) {
		Duration ttl = of(query, headers);
		if (ttl == null) {
			throw ProblemException.badRequest("PATCH renews the time to live: name it by parameter 'ttl', in seconds");
		}
		return ttl;
	}

	/**
	 * Requires that a request asks for none, because it writes no value.
	 * @throws ProblemException 400 when it does
	 */
	public static void refuse(RawQuery query, HttpHeaders headers) {
		if (query.raw(PARAMETER) != null || headers.containsHeader(HEADER)) {
			throw ProblemException.badRequest(
					"a time to live stands beside what writes no value: 'ttl' and Quorate-TTL are for PUT and PATCH");
		}
	}

	private static @Nullable String single(HttpHeaders headers) {
		List<String> values = headers.getOrEmpty(HEADER);
		if (values.size() > 1) {
			throw ProblemException.badRequest("header Quorate-TTL must stand only once");
		}
		return values.isEmpty() ? null : values.getFirst();
	}

	/**
	 * Reads the instant at which a value expires, as RFC 3339 has it.
	 * @param what its name, for the message
	 * @return the time from now until then
	 * @throws ProblemException 400 when it is no instant, past, or too far away
	 */
	public static Duration until(String what, String text, TimeSource time) {
		try {
			Duration left = Duration.between(Instant.ofEpochMilli(time.millis()), Instant.parse(text));
			if (left.isPositive() && left.toSeconds() <= MOST_SECONDS) {
				return left;
			}
		}
		catch (DateTimeException | ArithmeticException _) {
			throw ProblemException.badRequest(
					"%s is no instant: it is one of RFC 3339, such as 2026-01-31T12:00:00.250Z".formatted(what));
		}
		throw ProblemException.badRequest("%s is past, or more than 10 years away".formatted(what));
	}

	/**
	 * Reads a time to live.
	 * @param what its name, for the message
	 * @throws ProblemException 400 when it is no number or out of bounds
	 */
	public static Duration seconds(String what, String text) {
		return Duration.ofSeconds(WholeNumber.parse(what, text, 1, MOST_SECONDS));
	}

}
