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

	@Override
	public String toString() {
		return this.node + ": " + this.reason;
	}

}
