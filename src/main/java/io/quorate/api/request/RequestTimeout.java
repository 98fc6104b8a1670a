package io.quorate.api.request;

import java.time.Duration;
import java.util.List;

import io.quorate.api.problem.ProblemException;
import io.quorate.coordinator.CoordinatorProperties;
import org.springframework.http.HttpHeaders;

/**
 * The timeout of a request: header {@code Quorate-Timeout} in milliseconds, else the
 * node's default.
 *
 * @param standard the timeout without the header
 * @param most the longest timeout that may be asked for
 */
public record RequestTimeout(Duration standard, Duration most) {

	private static final String HEADER = "Quorate-Timeout";

	/** The timeouts of a node. */
	public static RequestTimeout of(CoordinatorProperties properties) {
		return new RequestTimeout(properties.timeout(), properties.maxTimeout());
	}

	/**
	 * Returns the timeout that a request asks for.
	 * @throws ProblemException 400 when it is no number or out of bounds
	 */
	public Duration of(HttpHeaders headers) {
		List<String> values = headers.getOrEmpty(HEADER);
		if (values.isEmpty()) {
			return this.standard;
		}
		if (values.size() > 1) {
			throw ProblemException.badRequest("header Quorate-Timeout must stand only once");
		}
		return Duration.ofMillis(
				WholeNumber.parse("header Quorate-Timeout (milliseconds)", values.getFirst(), 1, this.most.toMillis()));
	}

}
