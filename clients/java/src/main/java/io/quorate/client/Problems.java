package io.quorate.client;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** The errors that problem documents are. */
final class Problems {

	/** A problem document is small; the page of a proxy need not be. */
	static final int MOST_BYTES = 64 * 1024;

	static final String NOT_FOUND = Problem.PREFIX + "not-found";

	/* The name of a member in batches, and of a header field else. */
	static final String ABSENT_VERSION = "version";

	private static final String MEDIA_TYPE = "application/problem+json";

	private static final long LONGEST_PAUSE = Duration.ofDays(1).toSeconds();

	private Problems() {
	}

	/**
	 * Returns the error that an answer is.
	 * @throws InvalidAnswerException if it is no answer of a node
	 */
	static QuorateException errorOf(Answer answer, boolean isHead) {
		String type = answer.field("content-type");
		if (answer.status() < 400) {
			throw answer.invalid("is unexpected");
		}
		if (type == null || !type.toLowerCase(Locale.ROOT).startsWith(MEDIA_TYPE)) {
			throw answer.invalid("that is no problem document");
		}
		Map<String, Object> members = new HashMap<>();
		if (!isHead) {
			members.putAll(Members.of(answer, answer.body()).all());
			if (!Long.valueOf(answer.status()).equals(members.get("status"))
					|| !(members.get("type") instanceof String kind) || !kind.startsWith(Problem.PREFIX)) {
				throw answer.invalid("with a problem document of another kind");
			}
		}
		String absent = answer.field("quorate-version");
		if (absent != null) {
			members.put(ABSENT_VERSION, absent);
		}
		return error(new Problem(answer.node(), answer.status(), members, retryAfter(answer)));
	}

	/**
	 * Returns the error that an answer to an operator is. If it is no problem document of
	 * a node, the error has the result that it names, or its first line.
	 */
	static QuorateException quoted(Answer answer) {
		try {
			return errorOf(answer, false);
		}
		catch (InvalidAnswerException other) {
			return InvalidAnswerException.quoting(answer.node(), answer.status(), words(answer.body()));
		}
	}

	private static String words(byte[] body) {
		try {
			Map<String, Object> members = Json.object(body);
			if (members != null && members.get("result") instanceof String result) {
				return result;
			}
		}
		catch (JacksonException noJson) {
			// The first line says more than that.
		}
		return new String(body, StandardCharsets.UTF_8).strip().lines().findFirst().orElse("");
	}

	/** Returns the error of a problem, by its type and else by its status. */
	static QuorateException error(Problem problem) {
		StringJoiner words = new StringJoiner(": ", problem.node() + ": " + problem.status() + " ", "");
		if (!problem.title().isEmpty()) {
			words.add(problem.title());
		}
		if (!problem.detail().isEmpty()) {
			words.add(problem.detail());
		}
		String message = words.toString().strip();
		return switch (problem.status()) {
			case 400 -> new BadRequestException(message, problem);
			case 401 -> new UnauthenticatedException(message, problem);
			case 403 -> new ForbiddenException(message, problem);
			case 404 -> new NotFoundException(message, problem);
			case 409 -> contended(message, problem);
			case 412 -> new PreconditionFailedException(message, problem);
			case 413 -> new TooLargeException(message, problem);
			case 416 -> new RangeNotSatisfiableException(message, problem);
			case 422 -> new IdempotencyKeyReusedException(message, problem);
			case 428 -> new ConditionRequiredException(message, problem);
			case 429 -> new TooManyRequestsException(message, problem);
			case 501 -> new NotSupportedException(message, problem);
			case 503 -> refusalForNow(message, problem);
			case 504 -> new NotEnoughReplicasException(message, problem);
			case 507 -> new DiskFullException(message, problem);
			default -> (problem.status() < 500) ? new RefusedException(message, problem, null)
					: new InternalErrorException(message, problem);
		};
	}

	private static QuorateException contended(String message, Problem problem) {
		return problem.type().equals(Problem.PREFIX + "contended") ? new ContendedException(message, problem)
				: new RefusedException(message, problem, null);
	}

	private static QuorateException refusalForNow(String message, Problem problem) {
		return switch (problem.type()) {
			case Problem.PREFIX + "draining" -> new DrainingException(message, problem);
			case Problem.PREFIX + "late" -> new LateException(message, problem);
			case Problem.PREFIX + "clock" -> new ClockUncertainException(message, problem);
			default -> new OverloadedException(message, problem);
		};
	}

	/** Returns whether a write may have happened that a node has answered so. */
	static boolean leavesOutcomeUnknown(Problem problem) {
		return switch (problem.outcome()) {
			case "unknown" -> true;
			case "not-written" -> false;
			default -> switch (problem.status()) {
				case 501, 503, 507 -> false;
				default -> problem.status() >= 500;
			};
		};
	}

	private static @Nullable Duration retryAfter(Answer answer) {
		String text = answer.field("retry-after");
		return (text != null && text.matches("[0-9]{1,9}"))
				? Duration.ofSeconds(Math.min(LONGEST_PAUSE, Long.parseLong(text))) : null;
	}

}
