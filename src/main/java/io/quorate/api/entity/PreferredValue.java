package io.quorate.api.entity;

import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Pattern;

import io.quorate.api.problem.Problem;
import io.quorate.entry.Entry;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import org.springframework.http.HttpHeaders;

/**
 * The value in the answer that a condition does not hold, for clients that prefer to have
 * it there (RFC 7240, 4.2): they can decide anew without another request.
 */
final class PreferredValue {

	/** A value of more bytes is left out. */
	static final int MOST_BYTES = 64 * 1024;

	private static final String FIELD = "Prefer";

	private static final Pattern REPRESENTATION = Pattern
		.compile("(?i)\\s*return\\s*=\\s*(?:representation|\"representation\")\\s*(?:;.*)?");

	private PreferredValue() {
	}

	/** Whether a request asks for it. */
	static boolean isAskedFor(HttpHeaders headers) {
		return headers.getOrEmpty(FIELD)
			.stream()
			.flatMap((field) -> Arrays.stream(field.split(",", -1)))
			.anyMatch((preference) -> REPRESENTATION.matcher(preference).matches());
	}

	/** The answer with the value, whose members are those of a batch. */
	static Problem in(Problem unmet, Entry.Live entry) {
		Value value = entry.value();
		Problem problem = unmet.withHeader("Preference-Applied", "return=representation")
			.withMember("value", Base64.getEncoder().encodeToString(Arrays.copyOf(value.array(), value.size())));
		if (entry.contentType() != null) {
			problem = problem.withMember("contentType", entry.contentType().toString());
		}
		return (entry.expiryMillis() != Versioned.NEVER)
				? problem.withMember("expires", Instant.ofEpochMilli(entry.expiryMillis()).toString()) : problem;
	}

}
