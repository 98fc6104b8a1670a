package io.quorate.command.access;

import java.nio.charset.StandardCharsets;

import io.quorate.client.Answer;
import io.quorate.command.terminal.ExitCode;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Functions of answers: whether they are a success, and what they say. Pure. */
public final class Answers {

	private static final int OK = 200;

	/** The status of a put that has happened. */
	public static final int CREATED = 201;

	/** The status of a deletion that has happened. */
	public static final int ACCEPTED = 202;

	private static final int REDIRECT = 300;

	private static final int BAD_REQUEST = 400;

	private static final int TOO_MANY = 429;

	private static final int INTERNAL_ERROR = 500;

	private static final int NOT_IMPLEMENTED = 501;

	private static final int UNAVAILABLE = 503;

	private static final int DISK_FULL = 507;

	private Answers() {
	}

	/** Whether the status of an answer says that the request was carried out. */
	public static boolean isSuccess(Answer answer) {
		return answer.status() >= OK && answer.status() < REDIRECT;
	}

	/** Whether the status of an answer is 200. */
	public static boolean isOk(Answer answer) {
		return answer.status() == OK;
	}

	/**
	 * Whether a node has acknowledged a write of one key: a page of a proxy has no etag.
	 */
	public static boolean isWritten(Answer answer) {
		return (answer.status() == CREATED || answer.status() == ACCEPTED) && answer.field("ETag") != null;
	}

	/** Whether the answer is a value: a page of a proxy has no etag. */
	public static boolean isValue(Answer answer) {
		return answer.status() == OK && answer.field("ETag") != null;
	}

	/**
	 * The exit code of a write within a batch, by its status; 0 stands for no answer. It
	 * comes from a node of ours, which says that it has written nothing by 4xx, 501, 503
	 * and 507, and by no other status.
	 * @param written the status of such a write that has happened
	 */
	public static int itemOutcome(int status, int written) {
		if (status == written) {
			return ExitCode.DONE;
		}
		return switch (status) {
			case UNAVAILABLE, DISK_FULL, TOO_MANY -> ExitCode.UNAVAILABLE;
			case NOT_IMPLEMENTED -> ExitCode.FAILED;
			default -> (status >= BAD_REQUEST && status < INTERNAL_ERROR) ? ExitCode.FAILED : ExitCode.UNKNOWN;
		};
	}

	/** The words of an endpoint of operators in its answer, if there are any. */
	public static String result(Answer answer) {
		try {
			return JsonMapper.shared().readTree(answer.body()).path("result").asString("");
		}
		catch (JacksonException noJson) {
			return "";
		}
	}

	/** The body of an answer. */
	public static String text(Answer answer) {
		return new String(answer.body(), StandardCharsets.UTF_8);
	}

}
