package io.quorate.api.request;

import java.util.List;

import io.quorate.api.problem.Problem;
import io.quorate.api.problem.ProblemException;
import io.quorate.api.problem.ProblemType;
import io.quorate.entry.Entry;
import org.springframework.http.ETag;
import org.springframework.http.HttpHeaders;

/**
 * The preconditions of a request (RFC 9110, 13). Reads evaluate them. Writes are refused:
 * the check and the write would be two steps, between which another client may write.
 */
public final class Preconditions {

	private static final List<String> OF_WRITES = List.of(HttpHeaders.IF_MATCH, HttpHeaders.IF_NONE_MATCH,
			HttpHeaders.IF_UNMODIFIED_SINCE);

	private static final long NO_DATE = -1;

	private Preconditions() {
	}

	/**
	 * Requires that a write has no precondition.
	 * @throws ProblemException 501 when it has one
	 */
	public static void refuse(HttpHeaders headers) {
		for (String field : OF_WRITES) {
			if (headers.containsHeader(field)) {
				throw new ProblemException(conditionalWrite(field));
			}
		}
	}

	/** The problem of a write with a condition. */
	public static Problem conditionalWrite(String condition) {
		return Problem.of(ProblemType.CONDITIONAL_WRITE,
				"%s on a write is not supported yet: nothing was written. Without it the write replaces any version"
					.formatted(condition));
	}

	/**
	 * Evaluates the preconditions of a read of a value that exists, in the order of RFC
	 * 9110, 13.2.2.
	 * @return whether the client needs the value; {@code false} for {@code 304}
	 * @throws ProblemException 412 when the value is not the one that the client wants
	 */
	public static boolean areMet(Entry.Live entry, HttpHeaders headers) {
		if (headers.containsHeader(HttpHeaders.IF_MATCH)) {
			requireMet(isNamed(entry, headers, HttpHeaders.IF_MATCH, true), HttpHeaders.IF_MATCH);
		}
		else if (headers.containsHeader(HttpHeaders.IF_UNMODIFIED_SINCE)) {
			long since = headers.getIfUnmodifiedSince();
			requireMet(since == NO_DATE || modifiedMillis(entry) <= since, HttpHeaders.IF_UNMODIFIED_SINCE);
		}
		if (headers.containsHeader(HttpHeaders.IF_NONE_MATCH)) {
			return !isNamed(entry, headers, HttpHeaders.IF_NONE_MATCH, false);
		}
		if (headers.containsHeader(HttpHeaders.IF_MODIFIED_SINCE)) {
			return modifiedMillis(entry) > headers.getIfModifiedSince();
		}
		return true;
	}

	/**
	 * Whether a range of the value may be sent: there is no {@code If-Range}, or it names
	 * this version. A date does not: two versions may be of one second.
	 */
	public static boolean isOfRange(Entry.Live entry, HttpHeaders headers) {
		String version = headers.getFirst(HttpHeaders.IF_RANGE);
		return version == null || version.trim().equals(EntityTag.of(entry.version()));
	}

	private static void requireMet(boolean isMet, String field) {
		if (!isMet) {
			throw new ProblemException(Problem.of(ProblemType.PRECONDITION_FAILED,
					"the version of the value is not the one that %s asks for".formatted(field)));
		}
	}

	private static boolean isNamed(Entry.Live entry, HttpHeaders headers, String field, boolean strongly) {
		return isNamed(EntityTag.of(entry.version()), headers, field, strongly);
	}

	/**
	 * Whether a field names a version, or any.
	 * @param quoted the entity tag of the version
	 */
	public static boolean isNamed(String quoted, HttpHeaders headers, String field, boolean strongly) {
		ETag tag = ETag.create(quoted);
		return headers.getOrEmpty(field)
			.stream()
			.flatMap((list) -> ETag.parse(list).stream())
			.anyMatch((named) -> named.isWildcard() || named.compare(tag, strongly));
	}

	/** Instant of the last change by the dates of HTTP, which are whole seconds. */
	private static long modifiedMillis(Entry.Live entry) {
		return entry.version().millis() / 1000 * 1000;
	}

}
