package io.quorate.api.request;

import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.quorate.api.problem.ProblemException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * The longest time for which a read waits until a key holds another version: parameter
 * {@code wait}, or the preference {@code wait} of header {@code Prefer} (RFC 7240, 4.3),
 * in seconds.
 */
public final class WaitTime {

	/** The name of the parameter. */
	public static final String PARAMETER = "wait";

	private static final int MOST_SECONDS = 55;

	private static final Pattern PREFERENCE = Pattern
		.compile("(?i)\\s*wait\\s*=\\s*(?:([0-9]{1,9})|\"([0-9]{1,9})\")\\s*(?:;.*)?");

	private WaitTime() {
	}

	/**
	 * The time that a read asks for, {@code null} for none. A preference is honoured as
	 * far as it may be.
	 * @param isPreferable whether a preference may be honoured at all
	 * @throws ProblemException 400 when the parameter is no number, or out of bounds
	 */
	public static @Nullable Duration of(RawQuery query, HttpHeaders headers, boolean isPreferable) {
		String parameter = query.text(PARAMETER);
		long seconds = (parameter != null) ? WholeNumber.parse("parameter 'wait'", parameter, 1, MOST_SECONDS)
				: isPreferable ? Math.min(preferred(headers), MOST_SECONDS) : 0;
		return (seconds > 0) ? Duration.ofSeconds(seconds) : null;
	}

	private static long preferred(HttpHeaders headers) {
		return headers.getOrEmpty("Prefer")
			.stream()
			.flatMap((field) -> Arrays.stream(field.split(",", -1)))
			.map(PREFERENCE::matcher)
			.filter(Matcher::matches)
			.findFirst()
			.map((wait) -> Long.parseLong(Objects.requireNonNullElseGet(wait.group(1), () -> wait.group(2))))
			.orElse(0L);
	}

	/**
	 * The time that the parameter of a watch asks for, {@code null} for none.
	 * @throws ProblemException 400 when it is no number, or out of bounds
	 */
	public static @Nullable Duration ofWatch(RawQuery query) {
		String parameter = query.text(PARAMETER);
		return (parameter != null)
				? Duration.ofSeconds(WholeNumber.parse("parameter 'wait'", parameter, 1, MOST_SECONDS)) : null;
	}

	/**
	 * Requires that a request does not ask for it.
	 * @throws ProblemException 400 when it does by the parameter
	 */
	public static void refuse(RawQuery query) {
		if (query.raw(PARAMETER) != null) {
			throw ProblemException.badRequest("parameter 'wait' is for GET and HEAD");
		}
	}

}
