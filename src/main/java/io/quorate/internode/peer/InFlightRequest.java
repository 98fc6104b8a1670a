package io.quorate.internode.peer;

import java.util.function.Consumer;

import io.quorate.clock.Deadline;
import io.quorate.internode.wire.Outgoing;
import io.quorate.internode.wire.Reply;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import org.jspecify.annotations.Nullable;

/**
 * One request on one connection, and its outcome, which is reported once, whatever
 * happens. Belongs to the event loop of its connection once it has been sent.
 */
final class InFlightRequest {

	/* A reply without a value or a page; a failure with its detail is the longest. */
	private static final int SMALL_REPLY_BYTES = 8 * 1024;

	private final Outgoing message;

	private final Deadline deadline;

	private final Consumer<Reply> outcome;

	/* These belong to the list of which the request is a member. */
	boolean member;

	@Nullable InFlightRequest previous;

	@Nullable InFlightRequest next;

	/* Of the connection, 0 before the request is sent. */
	int stream;

	private boolean finished;

	private boolean isWait;

	private int maxReplyBytes = SMALL_REPLY_BYTES;

	private int replyBytes;

	/**
	 * A request that is not sent yet.
	 * @param message message to send, which the request releases unless it hands it over
	 */
	InFlightRequest(Outgoing message, Deadline deadline, Consumer<Reply> outcome) {
		this.message = message;
		this.deadline = deadline;
		this.outcome = outcome;
	}

	/** The message to send, which the caller has to release. */
	Outgoing take() {
		return this.message;
	}

	/** Ends a request that was never sent. */
	void refuse(Reason reason, String detail) {
		this.message.release();
		finish(new Reply.Failed(new Failure(reason, detail)));
	}

	/** Reports the outcome, unless one has been reported. */
	void finish(Reply reply) {
		if (!this.finished) {
			this.finished = true;
			this.outcome.accept(reply);
		}
	}

	/** The peer has nothing to do for it as long as it waits. */
	void waits() {
		this.isWait = true;
	}

	/** Whether the peer may have nothing to do for it. */
	boolean isWait() {
		return this.isWait;
	}

	/** Permits a reply with a value or a page. */
	void permit(int bytes) {
		this.maxReplyBytes = Math.max(SMALL_REPLY_BYTES, bytes);
	}

	/** Size of the longest reply that the peer was asked for. */
	int maxReplyBytes() {
		return this.maxReplyBytes;
	}

	/** Records the number of bytes of the reply. */
	void replied(int bytes) {
		this.replyBytes = bytes;
	}

	/** Number of bytes of the reply, 0 when there is none from the peer. */
	int replyBytes() {
		return this.replyBytes;
	}

	boolean isExpired(long nowNanos) {
		return this.deadline.nanos() - nowNanos <= 0;
	}

}
