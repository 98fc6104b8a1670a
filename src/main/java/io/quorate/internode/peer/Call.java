package io.quorate.internode.peer;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;

import io.quorate.clock.Deadline;
import io.quorate.internode.context.RequestTimers;
import io.quorate.internode.wire.Budget;
import io.quorate.internode.wire.Message;
import io.quorate.internode.wire.Operation;
import io.quorate.internode.wire.Outgoing;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.Request;
import io.quorate.internode.wire.RequestTags;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * One call of a peer: one request, or two when the reply turns out to be large. It takes
 * one of the peer's slots from its beginning to its outcome.
 */
final class Call {

	private static final Logger log = LoggerFactory.getLogger(Call.class);

	private final PeerLink link;

	private final RequestTimers timers;

	private final Deadline deadline;

	private final IntFunction<Request> request;

	private final RequestTags tags;

	/* Emitted once, see finish(): needs no guard of its own. */
	private final Sinks.One<Reply> reply = Sinks.unsafe().one();

	private final AtomicBoolean over = new AtomicBoolean();

	private final long begunNanos = System.nanoTime();

	private volatile @Nullable PeerChannel peerChannel;

	private volatile @Nullable InFlightRequest inFlightRequest;

	private volatile boolean abandoned;

	private int expectedBytes;

	/**
	 * A call that is not started yet.
	 * @param request the request, by the number of bytes that its reply may have
	 */
	Call(PeerLink link, Operation operation, Deadline deadline, IntFunction<Request> request, RequestTags tags) {
		this.link = link;
		this.timers = link.metrics().requests(operation);
		this.deadline = deadline;
		this.request = request;
		this.tags = tags;
	}

	/** Starts the call; the result always emits a reply, and never an error. */
	Mono<Reply> start(boolean large, int maxReplyBytes) {
		if (this.deadline.isExpired()) {
			Reply tooLate = failed(Reason.TIMEOUT, "the deadline had passed before the request was sent");
			this.timers.ended(tooLate, System.nanoTime() - this.begunNanos);
			return Mono.just(tooLate);
		}
		if (!this.link.slots().tryTake(1)) {
			this.link.metrics().refusedByRequests().increment();
			return Mono.just(failed(Reason.OVERLOADED, "%d requests in flight to %s, the limit of a peer"
				.formatted(this.link.slots().taken(), this.link.peer())));
		}
		send(large, maxReplyBytes);
		return this.reply.asMono();
	}

	private void send(boolean large, int maxReplyBytes) {
		try {
			trySend(large, maxReplyBytes);
		}
		catch (RuntimeException | Error bug) {
			log.error("Internal error while a request is sent to {}", this.link.peer(), bug);
			end(failed(Reason.FAILED, String.valueOf(bug.getMessage())));
		}
	}

	private void trySend(boolean large, int maxReplyBytes) {
		PeerChannel chosen = this.link.peerChannel(large);
		if (chosen == null) {
			end(failed(Reason.DISCONNECTED, "no connection to " + this.link.peer()));
			return;
		}
		Budget budget = large ? this.link.largeBytes() : this.link.smallBytes();
		int expected = large ? maxReplyBytes : 0;
		Request wanted = this.request.apply(maxReplyBytes);
		Message message = this.link.context().encode(wanted, this.tags, this.deadline);
		if (!budget.tryTake((long) expected + message.cost())) {
			refuse("%d bytes in flight to %s, the limit of a peer is %d".formatted(budget.taken(), this.link.peer(),
					budget.limit()));
			return;
		}
		Outgoing outgoing;
		try {
			outgoing = message.outgoing(this.link.context().transport().allocator(), budget);
		}
		catch (OutOfMemoryError full) {
			budget.release(expected);
			refuse("no room for a request to %s: %s".formatted(this.link.peer(), full));
			return;
		}
		this.expectedBytes = expected;
		InFlightRequest next = new InFlightRequest(outgoing, this.deadline, (said) -> told(said, budget));
		next.permit(maxReplyBytes);
		if (wanted instanceof Request.Changes) {
			next.waits();
		}
		this.peerChannel = chosen;
		this.inFlightRequest = next;
		this.link.metrics().sent(message.size());
		chosen.send(next);
		if (this.abandoned) {
			chosen.abandon(next);
		}
	}

	private void told(Reply said, Budget budget) {
		budget.release(this.expectedBytes);
		this.expectedBytes = 0;
		InFlightRequest answered = this.inFlightRequest;
		if (answered != null) {
			this.link.metrics().received(answered.replyBytes());
		}
		if (said instanceof Reply.Failed(var failure) && failure.reason() == Reason.DRAINING) {
			this.link.drains();
		}
		if (said instanceof Reply.Failed(var failure) && failure.reason().isOfLayout()) {
			this.link.context().exchanges().layouts().differs(this.link.peer());
		}
		if (said instanceof Reply.TooLarge(var size) && !this.abandoned) {
			askAgain(size);
		}
		else {
			end(said);
		}
	}

	private void askAgain(int size) {
		if (size <= 0 || size > this.link.context().transport().maxMessageBytes()) {
			end(failed(Reason.FAILED, "a reply of %d bytes, at most %d are taken".formatted(size,
					this.link.context().transport().maxMessageBytes())));
		}
		else if (this.deadline.isExpired()) {
			end(failed(Reason.TIMEOUT, "no reply before the deadline"));
		}
		else {
			send(true, size);
		}
	}

	/** Gives up the call: its caller does not wait for the reply any more. */
	void abandon() {
		this.abandoned = true;
		PeerChannel chosen = this.peerChannel;
		InFlightRequest sent = this.inFlightRequest;
		if (chosen != null && sent != null) {
			chosen.abandon(sent);
		}
	}

	/**
	 * Ends the call, because there is no room for the bytes of the request or of its
	 * reply.
	 */
	private void refuse(String detail) {
		this.link.metrics().refusedByBytes().increment();
		finish(failed(Reason.OVERLOADED, detail));
	}

	private void end(Reply said) {
		long nanos = System.nanoTime() - this.begunNanos;
		if (isFailed(said, Reason.DISCONNECTED)) {
			this.link.metrics().refusedAsDisconnected().increment();
		}
		else if (this.abandoned && isFailed(said, Reason.TIMEOUT)) {
			this.timers.cancelled(nanos);
		}
		else {
			this.timers.ended(said, nanos);
		}
		finish(said);
	}

	private static boolean isFailed(Reply said, Reason reason) {
		return said instanceof Reply.Failed(var failure) && failure.reason() == reason;
	}

	private void finish(Reply said) {
		if (this.over.compareAndSet(false, true)) {
			this.link.slots().release(1);
			this.reply.emitValue(said, Sinks.EmitFailureHandler.FAIL_FAST);
		}
	}

	private static Reply.Failed failed(Reason reason, String detail) {
		return new Reply.Failed(new Failure(reason, detail));
	}

}
