package io.quorate.client;

import java.io.Serializable;

/**
 * The failure of one attempt of a call at one node.
 *
 * @param node the URL of the node
 * @param reason the failure, for people
 * @param status the status of the answer, 0 without one
 */
public record FailedAttempt(String node, String reason, int status) implements Serializable {

	/** Returns the failure of an attempt at a node. */
	static FailedAttempt of(String node, Exception failure) {
		String message = Answers.message(failure);
		int status = 0;
		if (failure instanceof InvalidAnswerException invalid) {
			status = invalid.status();
		}
		else if (failure instanceof QuorateException error) {
			status = error.problem().map(Problem::status).orElse(0);
		}
		return new FailedAttempt(node, message.startsWith(node + ": ") ? message.substring(node.length() + 2) : message,
				status);
	}

	@Override
	public String toString() {
		return this.node + ": " + this.reason;
	}

}
