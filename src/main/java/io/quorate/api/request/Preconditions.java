package io.quorate.api.request;

import java.util.List;

import io.quorate.api.problem.Problem;
import io.quorate.api.problem.ProblemException;
import io.quorate.api.problem.ProblemType;
import io.quorate.clock.Timestamp;
import io.quorate.coordinator.ConditionFailedException;
import io.quorate.coordinator.QuorumNotReachedException.Fate;
import io.quorate.coordinator.ReadOutcome;
import io.quorate.entry.Condition;
import io.quorate.entry.Entry;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * The preconditions of a request (RFC 9110, 13), parsed before anything is done for it.
 * Those of a read are evaluated on the value that was read; those of a write become a
 * {@link Condition}, which the replicas evaluate with the write.
 */
public final class Preconditions {

	private static final long NO_DATE = -1;

	private final @Nullable EntityTags match;

	private final @Nullable EntityTags noneMatch;

	private final long unmodifiedSince;

	private final long modifiedSince;

	private Preconditions(@Nullable EntityTags match, @Nullable EntityTags noneMatch, long unmodifiedSince,
			long modifiedSince) {
		this.match = match;
		this.noneMatch = noneMatch;
		this.unmodifiedSince = unmodifiedSince;
		this.modifiedSince = modifiedSince;
	}

	/**
	 * The preconditions of a read by its header fields.
	 * @throws ProblemException 400 when one is not well-formed
	 */
	public static Preconditions ofRead(HttpHeaders headers) {
		return new Preconditions(EntityTags.of(headers, HttpHeaders.IF_MATCH),
				EntityTags.of(headers, HttpHeaders.IF_NONE_MATCH), headers.getIfUnmodifiedSince(),
				headers.getIfModifiedSince());
	}

	/** Preconditions by versions alone, {@code null} for none. */
	public static Preconditions ofVersions(@Nullable EntityTags match, @Nullable EntityTags noneMatch) {
		return new Preconditions(match, noneMatch, NO_DATE, NO_DATE);
	}

	/**
	 * The condition of a write by its header fields, {@code null} for a plain write.
	 * @param isLinearizable whether it is no plain write even without one
	 * @throws ProblemException 400 when one is not well-formed, or is by date
	 */
	public static @Nullable Condition ofWrite(HttpHeaders headers, boolean isLinearizable) {
		if (headers.containsHeader(HttpHeaders.IF_UNMODIFIED_SINCE)) {
			throw ProblemException.badRequest(
					"If-Unmodified-Since on a write: seconds are no version, and two writes may be of one second; send If-Match with the ETag");
		}
		return ofVersions(EntityTags.of(headers, HttpHeaders.IF_MATCH),
				EntityTags.of(headers, HttpHeaders.IF_NONE_MATCH))
			.ofWrite(isLinearizable);
	}

	/**
	 * The condition of a touch by its header fields: that there is a value, or that it
	 * has a version.
	 * @throws ProblemException 400 when one is not well-formed, or says something else
	 */
	public static Condition ofTouch(HttpHeaders headers) {
		for (String field : List.of(HttpHeaders.IF_NONE_MATCH, HttpHeaders.IF_UNMODIFIED_SINCE)) {
			if (headers.containsHeader(field)) {
				throw ProblemException.badRequest(
						"%s on a touch: it renews a value that is there; send If-Match with the ETag, or nothing"
							.formatted(field));
			}
		}
		return ofTouch(EntityTags.of(headers, HttpHeaders.IF_MATCH));
	}

	/**
	 * The condition of a touch.
	 * @param match the versions that it asks for, {@code null} for any value
	 * @throws ProblemException 400 when there are too many versions
	 */
	public static Condition ofTouch(@Nullable EntityTags match) {
		return new Condition((match != null) ? match.versions(true) : Condition.Versions.ANY, null);
	}

	/**
	 * These as the condition of a write, {@code null} for a plain write.
	 * @param isLinearizable whether it is no plain write even without one
	 * @throws ProblemException 400 when there are too many versions
	 */
	public @Nullable Condition ofWrite(boolean isLinearizable) {
		EntityTags wanted = this.match;
		EntityTags unwanted = this.noneMatch;
		if (wanted == null && unwanted == null) {
			return isLinearizable ? Condition.NONE : null;
		}
		return new Condition((wanted != null) ? wanted.versions(true) : null,
				(unwanted != null) ? unwanted.versions(false) : null);
	}

	/**
	 * Requires that a request has no precondition, because it would be ignored.
	 * @param remedy where it belongs
	 * @throws ProblemException 400 when it has one
	 */
	public static void refuse(HttpHeaders headers, String remedy) {
		for (String field : List.of(HttpHeaders.IF_MATCH, HttpHeaders.IF_NONE_MATCH, HttpHeaders.IF_UNMODIFIED_SINCE)) {
			if (headers.containsHeader(field)) {
				throw ProblemException.badRequest("%s has no meaning here: %s".formatted(field, remedy));
			}
		}
	}

	/**
	 * Evaluates the preconditions of a read on a value that exists, in the order of RFC
	 * 9110, 13.2.2.
	 * @return whether the client needs the value; {@code false} for {@code 304}
	 * @throws ProblemException 412 when the value is not the one that the client wants
	 */
	public boolean areMet(Entry.Live entry) {
		if (!isWanted(entry)) {
			String field = (this.match != null) ? HttpHeaders.IF_MATCH : HttpHeaders.IF_UNMODIFIED_SINCE;
			throw new ProblemException(
					notMet("the version of the value is not the one that %s asks for".formatted(field), entry.version(),
							null));
		}
		return isNew(entry);
	}

	private boolean isWanted(Entry.Live entry) {
		return (this.match != null) ? this.match.include(EntityTag.of(entry.version()), true)
				: this.unmodifiedSince == NO_DATE || modifiedMillis(entry) <= this.unmodifiedSince;
	}

	private boolean isNew(Entry.Live entry) {
		return (this.noneMatch != null) ? !this.noneMatch.include(EntityTag.of(entry.version()), false)
				: modifiedMillis(entry) > this.modifiedSince;
	}

	/** Whether there is one that a client waits for. */
	public boolean isWaitable() {
		return this.match != null || this.noneMatch != null || this.modifiedSince != NO_DATE;
	}

	/**
	 * Whether the answer to an outcome is worth waking a client that waits: another
	 * version than it has, or that there is none any more. A client that requires a
	 * version, be it any, waits while there is no value.
	 */
	public boolean endWait(ReadOutcome outcome) {
		return switch (outcome) {
			case ReadOutcome.Found(Entry.Live entry) -> !isWanted(entry) || isNew(entry);
			case ReadOutcome.Missing _ -> this.match == null;
		};
	}

	/**
	 * Whether a range of the value may be sent: there is no {@code If-Range}, or it names
	 * this version. A date does not: two versions may be of one second.
	 */
	public static boolean isOfRange(Entry.Live entry, HttpHeaders headers) {
		String version = headers.getFirst(HttpHeaders.IF_RANGE);
		return version == null || version.trim().equals(EntityTag.of(entry.version()));
	}

	/** The problem of a write whose condition does not hold. */
	public static Problem notMet(ConditionFailedException failed) {
		String unmet = "the condition does not hold: %s; ".formatted(failed.getMessage());
		if (!failed.isForgotten()) {
			return notMet(unmet + "nothing was written", failed.current(), failed.absent());
		}
		return notMet(unmet
				+ "whether an earlier request with this idempotency key was done is not remembered, because others have written the key since",
				failed.current(), failed.absent())
			.withMember("outcome", Fate.UNKNOWN.word());
	}

	/**
	 * The problem of a precondition that is not met.
	 * @param current version of the value, {@code null} for none
	 * @param absent version of the deletion or the value that has expired, {@code null}
	 * when it is not known
	 */
	private static Problem notMet(String detail, @Nullable Timestamp current, @Nullable Timestamp absent) {
		Problem problem = Problem.of(ProblemType.PRECONDITION_FAILED, detail)
			.withHeader(HttpHeaders.CACHE_CONTROL, Protocol.NO_TRANSFORM)
			.withMember("current", (current != null) ? EntityTag.of(current) : null);
		if (current != null) {
			return problem.withHeader(HttpHeaders.ETAG, EntityTag.of(current));
		}
		return (absent != null) ? problem.withHeader(Protocol.VERSION, EntityTag.of(absent)) : problem;
	}

	/** Instant of the last change by the dates of HTTP, which are whole seconds. */
	private static long modifiedMillis(Entry.Live entry) {
		return entry.version().millis() / 1000 * 1000;
	}

}
