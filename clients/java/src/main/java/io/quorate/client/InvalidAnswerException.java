package io.quorate.client;

import org.jspecify.annotations.Nullable;

/** The error of an answer that is none of the API, such as the page of a proxy. */
public class InvalidAnswerException extends QuorateException {

	private static final long serialVersionUID = 1;

	private final String node;

	private final int status;

	InvalidAnswerException(String node, int status, String reason, @Nullable Throwable cause) {
		this(node + ": an answer " + status + " " + reason, cause, node, status);
	}

	private InvalidAnswerException(String message, @Nullable Throwable cause, String node, int status) {
		super(message, null, cause);
		this.node = node;
		this.status = status;
	}

	/** Creates the error of an answer to an operator, which may be quoted. */
	static InvalidAnswerException quoting(String node, int status, String words) {
		return new InvalidAnswerException(node + ": " + status + (words.isEmpty() ? "" : " " + words), null, node,
				status);
	}

	/** Returns the URL of the node. */
	public String node() {
		return this.node;
	}

	/** Returns the status of the answer. */
	public int status() {
		return this.status;
	}

}
