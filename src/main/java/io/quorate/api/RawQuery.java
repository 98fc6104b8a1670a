package io.quorate.api;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.quorate.api.problem.ProblemException;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * The parameters of a request as they were sent, still encoded, because Spring's decoding
 * turns a plus into a space and bad bytes into U+FFFD.
 * <p>
 * Parameters that no handler asks for are ignored, as proxies and tracers add their own.
 * One that is asked for may stand only once: the node does not guess which of two ids the
 * client meant.
 */
final class RawQuery {

	private final List<Parameter> parameters;

	private RawQuery(List<Parameter> parameters) {
		this.parameters = parameters;
	}

	/** The parameters of a request. */
	static RawQuery of(ServerHttpRequest request) {
		return parse(request.getURI().getRawQuery());
	}

	/** The parameters of the part of a URI behind the question mark, if there is one. */
	static RawQuery parse(@Nullable String query) {
		List<Parameter> parameters = new ArrayList<>(4);
		if (query != null) {
			int start = 0;
			while (start <= query.length()) {
				int ampersand = query.indexOf('&', start);
				int end = (ampersand < 0) ? query.length() : ampersand;
				if (end > start) {
					parameters.add(Parameter.of(query.substring(start, end)));
				}
				start = end + 1;
			}
		}
		return new RawQuery(parameters);
	}

	/**
	 * The encoded value of a parameter, {@code null} when it is not there.
	 * @throws ProblemException 400 when it is there more than once
	 */
	@Nullable String raw(String name) {
		String value = null;
		for (Parameter parameter : this.parameters) {
			if (parameter.name.equals(name)) {
				if (value != null) {
					throw ProblemException.badRequest("parameter '%s' must stand only once".formatted(name));
				}
				value = parameter.value;
			}
		}
		return value;
	}

	/** The decoded value of a parameter, {@code null} when it is not there. */
	@Nullable String text(String name) {
		String raw = raw(name);
		return (raw != null) ? new String(PercentCoding.decode(name, raw), StandardCharsets.UTF_8) : null;
	}

	private record Parameter(String name, String value) {

		static Parameter of(String pair) {
			int equals = pair.indexOf('=');
			String name = (equals < 0) ? pair : pair.substring(0, equals);
			String value = (equals < 0) ? "" : pair.substring(equals + 1);
			return new Parameter((name.indexOf('%') < 0) ? name : decoded(name), value);
		}

		private static String decoded(String name) {
			return new String(PercentCoding.decode("(name)", name), StandardCharsets.UTF_8);
		}

	}

}
