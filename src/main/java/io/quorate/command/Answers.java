package io.quorate.command;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Functions of answers that are no success: their exit code, and their text. */
final class Answers {

	private static final int OK = 200;

	/** The status of a put that has happened. */
	static final int CREATED = 201;

	/** The status of a deletion that has happened. */
	static final int ACCEPTED = 202;

	private static final int REDIRECT = 300;

	private static final int BAD_REQUEST = 400;

	private static final int UNAUTHENTICATED = 401;

	private static final int FORBIDDEN = 403;

	private static final int NOT_FOUND = 404;

	private static final int TOO_MANY = 429;

	private static final int INTERNAL_ERROR = 500;

	private static final int NOT_IMPLEMENTED = 501;

	private static final int UNAVAILABLE = 503;

	private static final int DISK_FULL = 507;

	private static final String PROBLEM = "urn:quorate:problem:";

	/* A problem document is small; a proxy's page need not be. */
	private static final int MOST_BYTES = 64 * 1024;

	private Answers() {
	}

	static boolean isSuccess(HttpResponse<?> answer) {
		return answer.statusCode() >= OK && answer.statusCode() < REDIRECT;
	}

	/**
	 * Whether a node has acknowledged a write of one key: a page of a proxy has no etag.
	 */
	static boolean isWritten(HttpResponse<?> answer) {
		int status = answer.statusCode();
		return (status == CREATED || status == ACCEPTED) && answer.headers().firstValue("ETag").isPresent();
	}

	/** Whether the answer is a value: a page of a proxy has no etag. */
	static boolean isValue(HttpResponse<?> answer) {
		return answer.statusCode() == OK && answer.headers().firstValue("ETag").isPresent();
	}

	/**
	 * Whether a node has answered with a problem document, read as a whole. That of a
	 * proxy is of another type.
	 */
	static boolean isProblem(HttpResponse<?> answer) {
		if (!isProblemType(answer) || !(answer.body() instanceof byte[] document)) {
			return false;
		}
		try {
			JsonNode problem = JsonMapper.shared().readTree(document);
			return problem.path("type").asString("").startsWith(PROBLEM)
					&& problem.path("status").asInt(0) == answer.statusCode();
		}
		catch (JacksonException cutOff) {
			return false;
		}
	}

	private static boolean isProblemType(HttpResponse<?> answer) {
		return answer.headers().firstValue("Content-Type").orElse("").startsWith("application/problem+json");
	}

	/** Whether another node may be able to answer a read that this one has not. */
	static boolean isFailure(int status) {
		return status >= INTERNAL_ERROR && status != NOT_IMPLEMENTED;
	}

	/**
	 * The exit code of a request whose answer is not the one that was asked for. Only a
	 * node can say that a value is not there, or that nothing was written. A proxy that
	 * answers a write with 3xx or 4xx has not sent it on; with another status it may
	 * have.
	 */
	static int exitCode(Call call, HttpResponse<?> answer) {
		int status = answer.statusCode();
		boolean isProblem = isProblem(answer);
		if (status == NOT_FOUND && isProblem) {
			return ExitCode.ABSENT;
		}
		if (call.isRead()) {
			return (status == TOO_MANY || isFailure(status)) ? ExitCode.UNAVAILABLE : ExitCode.FAILED;
		}
		if (isProblem) {
			return refusalOfWrite(status);
		}
		return (status >= REDIRECT && status < INTERNAL_ERROR) ? ExitCode.FAILED : ExitCode.UNKNOWN;
	}

	/**
	 * The exit code of a write within a batch, by its status; 0 stands for no answer. It
	 * comes from a node of ours.
	 * @param written the status of such a write that has happened
	 */
	static int itemOutcome(int status, int written) {
		return (status == written) ? ExitCode.DONE : refusalOfWrite(status);
	}

	/*
	 * A node says that it has written nothing by 4xx, 501, 503 and 507, and by no other
	 * status.
	 */
	private static int refusalOfWrite(int status) {
		return switch (status) {
			case UNAVAILABLE, DISK_FULL, TOO_MANY -> ExitCode.UNAVAILABLE;
			case NOT_IMPLEMENTED -> ExitCode.FAILED;
			default -> (status >= BAD_REQUEST && status < INTERNAL_ERROR) ? ExitCode.FAILED : ExitCode.UNKNOWN;
		};
	}

	/** Status and reason in one line. Closes a body that is a stream. */
	static String explained(HttpResponse<?> answer, NodeAccess access) {
		return switch (answer.statusCode()) {
			case UNAUTHENTICATED -> access.hasToken() ? "401: the node does not accept the token"
					: "401: the node asks for a token, " + NodeOptions.TOKEN_FILE + " names the file with it";
			default -> answer.statusCode() + RangeRecord.printable(reason(answer));
		};
	}

	/**
	 * The words of an endpoint of operators in its answer, if there are any. Closes a
	 * body that is a stream.
	 */
	static String result(HttpResponse<?> answer) {
		return result(text(answer.body()));
	}

	private static String result(String text) {
		try {
			return text.startsWith("{") ? JsonMapper.shared().readTree(text).path("result").asString("") : "";
		}
		catch (JacksonException noJson) {
			return "";
		}
	}

	private static String reason(HttpResponse<?> answer) {
		String text = text(answer.body());
		if (isProblemType(answer)) {
			try {
				JsonNode problem = JsonMapper.shared().readTree(text);
				return " " + problem.path("title").asString("") + ": " + problem.path("detail").asString("");
			}
			catch (JacksonException cutOff) {
				return " " + text;
			}
		}
		if (answer.statusCode() == FORBIDDEN) {
			return ": the principal of the token has no right to it";
		}
		String result = result(text);
		if (!result.isEmpty()) {
			return " " + result;
		}
		return text.isBlank() ? "" : " " + text.strip().lines().findFirst().orElse("");
	}

	private static String text(Object body) {
		if (body instanceof byte[] bytes) {
			return new String(bytes, StandardCharsets.UTF_8);
		}
		try (InputStream stream = (InputStream) body) {
			return new String(stream.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
		}
		catch (IOException brokenOff) {
			return "";
		}
	}

}
