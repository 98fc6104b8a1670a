package io.quorate.internode.server;

import io.quorate.internode.InternodeProperties;
import io.quorate.internode.wire.Budget;

/**
 * The requests and bytes that one peer has in work at this node, over all its
 * connections, and their bounds.
 */
final class PeerQuota {

	/* Twice as many as a connection may have: an earlier one may not be over yet. */
	private static final int UNFINISHED_MESSAGES = 4;

	private final Budget requests;

	private final Budget writeBytes;

	private final Budget replyBytes;

	private final Budget partBytes;

	/**
	 * A quota with nothing in work yet.
	 * @param maxMessageBytes size of the largest message
	 * @param allWrites budget of the bytes of writes of all peers
	 * @param allReplies budget of the bytes of replies to all peers
	 */
	PeerQuota(InternodeProperties properties, int maxMessageBytes, Budget allWrites, Budget allReplies) {
		this.requests = new Budget(properties.maxRequests());
		this.writeBytes = new Budget(properties.maxBytes().toBytes(), allWrites);
		this.replyBytes = new Budget(properties.maxBytes().toBytes(), allReplies);
		this.partBytes = new Budget((long) UNFINISHED_MESSAGES * maxMessageBytes);
	}

	/** Requests without a reply. */
	Budget requests() {
		return this.requests;
	}

	/** Bytes of writes without a reply. */
	Budget writeBytes() {
		return this.writeBytes;
	}

	/** Bytes of replies that wait for the peer to take them. */
	Budget replyBytes() {
		return this.replyBytes;
	}

	/** Bytes of requests of which more parts are to follow. */
	Budget partBytes() {
		return this.partBytes;
	}

	long bytes() {
		return this.writeBytes.taken() + this.replyBytes.taken();
	}

	boolean isIdle() {
		return this.requests.taken() == 0 && bytes() == 0;
	}

}
