package io.quorate.internode.peer;

import java.util.function.Consumer;

import io.quorate.clock.Deadline;
import io.quorate.internode.wire.MalformedMessageException;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.ReplyCodec;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.rsocket.Payload;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/**
 * One request on one connection, and its outcome, which is reported once, whatever
 * happens. Belongs to the event loop of its connection once it has been sent.
 */
final class InFlightRequest implements CoreSubscriber<Payload> {

	/** The receiver of the connection's signals, on whatever thread they come. */
	interface Owner {

		void replied(InFlightRequest inFlightRequest, Reply.Envelope reply);

		void failed(InFlightRequest inFlightRequest, Throwable failure);

	}

	private final Payload payload;

	private final Deadline deadline;

	private final Consumer<Reply> outcome;

	/* These three belong to the list of which the request is a member. */
	boolean member;

	@Nullable InFlightRequest previous;

	@Nullable InFlightRequest next;

	private @Nullable Owner owner;

	private @Nullable Subscription subscription;

	private boolean finished;

	private int replyBytes;

	InFlightRequest(Payload payload, Deadline deadline, Consumer<Reply> outcome) {
		this.payload = payload;
		this.deadline = deadline;
		this.outcome = outcome;
	}

	/** The bytes to send, which the caller has to release. */
	Payload take(Owner newOwner) {
		this.owner = newOwner;
		return this.payload;
	}

	/** Ends a request that was never sent. */
	void refuse(Reason reason, String detail) {
		this.payload.release();
		finish(new Reply.Failed(new Failure(reason, detail)));
	}

	/** Reports the outcome, unless one has been reported. */
	void finish(Reply reply) {
		if (!this.finished) {
			this.finished = true;
			this.outcome.accept(reply);
		}
	}

	/** Reports an outcome before the peer has replied; a later reply is dropped. */
	void giveUp(Reply reply) {
		try {
			if (this.subscription != null) {
				this.subscription.cancel();
			}
		}
		finally {
			finish(reply);
		}
	}

	/** Number of bytes of the reply, 0 when there is none from the peer. */
	int replyBytes() {
		return this.replyBytes;
	}

	boolean isExpired(long nowNanos) {
		return this.deadline.nanos() - nowNanos <= 0;
	}

	@Override
	public void onSubscribe(Subscription newSubscription) {
		this.subscription = newSubscription;
		newSubscription.request(Long.MAX_VALUE);
	}

	@Override
	public void onNext(Payload reply) {
		this.replyBytes = reply.data().readableBytes();
		try {
			owner().replied(this, ReplyCodec.decode(reply.data()));
		}
		catch (MalformedMessageException malformed) {
			owner().failed(this, malformed);
		}
		finally {
			reply.release();
		}
	}

	@Override
	public void onError(Throwable failure) {
		owner().failed(this, failure);
	}

	/** A reply has come before, or the peer has ended the stream without one. */
	@Override
	public void onComplete() {
		if (!this.finished) {
			owner().failed(this, new MalformedMessageException("no reply"));
		}
	}

	private Owner owner() {
		if (this.owner == null) {
			throw new IllegalStateException("the request was never sent");
		}
		return this.owner;
	}

}
