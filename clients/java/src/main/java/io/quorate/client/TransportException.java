package io.quorate.client;

import org.jspecify.annotations.Nullable;

/** The failure of an attempt without an answer. Callers never see it. */
final class TransportException extends Exception {

	private static final long serialVersionUID = 1;

	private final boolean wasSent;

	private final boolean isOfNode;

	private TransportException(String reason, boolean wasSent, boolean isOfNode, @Nullable Throwable cause) {
		super(reason, cause);
		this.wasSent = wasSent;
		this.isOfNode = isOfNode;
	}

	/** Creates the failure of an attempt whose request a node may have. */
	static TransportException sent(String reason, @Nullable Throwable cause) {
		return new TransportException(reason, true, true, cause);
	}

	/** Creates the failure of an attempt of whose request no byte has left. */
	static TransportException notSent(String reason, @Nullable Throwable cause) {
		return new TransportException(reason, false, true, cause);
	}

	/** Creates the failure of an attempt with which the node has nothing to do. */
	static TransportException ofClient(String reason) {
		return new TransportException(reason, false, false, null);
	}

	/** Returns whether a node may have the request. */
	boolean wasSent() {
		return this.wasSent;
	}

	/** Returns whether the node has to do with it, and not only the client itself. */
	boolean isOfNode() {
		return this.isOfNode;
	}

}
