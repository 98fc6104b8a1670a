package io.quorate.api.request;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.quorate.api.problem.ProblemException;
import io.quorate.operations.Spelling;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * The parameters of a request as they were sent, still encoded, because Spring's decoding
 * turns a plus into a space and bad bytes into U+FFFD.
 * <p>
 * A parameter that its path does not know is refused, as the client would get something
 * else than it asked for: it has misspelt another one, or means what it has in another
 * store. Those that proxies, tracers and browsers' caches add are ignored. One that is
 * known may stand only once: the node does not guess which of two ids the client meant.
 */
public final class RawQuery {

	private static final int MISSPELT_WITHIN = 2;

	/* Longer than any known name; a name of kilobytes is not compared. */
	private static final int LONGEST_MISSPELT = 32;

	/* Names that mean nothing to any store, such as _=1717171717 against caches. */
	private static final List<String> MEANINGLESS = List.of("_", "utm_", "trace");

	/* More than all paths know, with those of proxies and tracers. */
	private static final int MOST_PARAMETERS = 64;

	private final List<Parameter> parameters;

	private RawQuery(List<Parameter> parameters) {
		this.parameters = parameters;
	}

	/** The parameters of a request. */
	public static RawQuery of(ServerHttpRequest request) {
		return parse(request.getURI().getRawQuery());
	}

	/** The parameters of the part of a URI behind the question mark, if there is one. */
	public static RawQuery parse(@Nullable String query) {
		List<Parameter> parameters = new ArrayList<>(4);
		if (query != null) {
			int start = 0;
			while (start <= query.length()) {
				int ampersand = query.indexOf('&', start);
				int end = (ampersand < 0) ? query.length() : ampersand;
				if (end > start) {
					requireFew(parameters);
					parameters.add(Parameter.of(query.substring(start, end)));
				}
				start = end + 1;
			}
		}
		return new RawQuery(parameters);
	}

	private static void requireFew(List<Parameter> parameters) {
		if (parameters.size() == MOST_PARAMETERS) {
			throw ProblemException.badRequest("there are more than %d parameters".formatted(MOST_PARAMETERS));
		}
	}

	/**
	 * Requires that a path knows all parameters, but for those that mean nothing.
	 * @throws ProblemException 400 when it does not know one
	 */
	public RawQuery knowing(Set<String> names) {
		for (Parameter parameter : this.parameters) {
			if (!names.contains(parameter.name)) {
				requireMeaningless(parameter.name, names);
			}
		}
		return this;
	}

	private static void requireMeaningless(String name, Set<String> names) {
		if (MEANINGLESS.stream().anyMatch(name::startsWith) && !names.contains(name.substring(1))) {
			return;
		}
		String shown = (name.length() > LONGEST_MISSPELT) ? name.substring(0, LONGEST_MISSPELT) + "..." : name;
		String meant = meant(name, names);
		if (meant != null) {
			throw ProblemException.badRequest("parameter '%s' is unknown: did you mean '%s'?".formatted(shown, meant));
		}
		throw ProblemException.badRequest("parameter '%s' is unknown here, where there are %s".formatted(shown,
				names.isEmpty() ? "none" : names.stream().sorted().collect(Collectors.joining(", "))));
	}

	/**
	 * The known name that an unknown one probably stands for, {@code null} if there is
	 * none: within an edit distance of {@value #MISSPELT_WITHIN}, with a character in
	 * common.
	 */
	public static @Nullable String meant(String unknown, Set<String> names) {
		if (unknown.length() > LONGEST_MISSPELT) {
			return null;
		}
		String lower = unknown.toLowerCase(Locale.ROOT);
		String nearest = null;
		int least = MISSPELT_WITHIN + 1;
		for (String name : names) {
			// Names are at least as distant as their lengths are.
			if (Math.abs(name.length() - lower.length()) > MISSPELT_WITHIN) {
				continue;
			}
			int distance = Spelling.distance(lower, name.toLowerCase(Locale.ROOT));
			boolean isNearer = distance < least
					|| (distance == least && nearest != null && name.compareTo(nearest) < 0);
			if (isNearer && distance < Math.min(name.length(), unknown.length())) {
				nearest = name;
				least = distance;
			}
		}
		return nearest;
	}

	/**
	 * The encoded value of a parameter, {@code null} when it is not there.
	 * @throws ProblemException 400 when it is there more than once
	 */
	public @Nullable String raw(String name) {
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
	public @Nullable String text(String name) {
		String raw = raw(name);
		return (raw != null) ? new String(PercentCoding.decode(name, raw), StandardCharsets.UTF_8) : null;
	}

	/**
	 * Whether a parameter is {@code true}, which it is not when it is not there.
	 * @throws ProblemException 400 when it is neither true nor false
	 */
	public boolean flag(String name) {
		String text = text(name);
		return switch (text) {
			case "true" -> true;
			case "false" -> false;
			case null -> false;
			default ->
				throw ProblemException.badRequest("parameter '%s' is '%s': it is true or false".formatted(name, text));
		};
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
