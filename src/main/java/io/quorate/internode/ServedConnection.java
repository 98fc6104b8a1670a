package io.quorate.internode;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import io.quorate.clock.Deadline;
import io.quorate.replica.Failure;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.PageReply;
import io.quorate.replica.ReadReply;
import io.quorate.replica.Replica;
import io.quorate.replica.WriteReply;
import io.quorate.storage.PageLimit;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/** A connection of a peer to this node: requests in, replies out. */
final class ServedConnection implements RSocket {

	private static final Logger log = LoggerFactory.getLogger(ServedConnection.class);

	private final PeerContext context;

	private final Replica replica;

	private final RefusalLog refusals;

	private final BooleanSupplier draining;

	private final TransitDelay transit = new TransitDelay();

	private final Budget slots;

	private final Budget inboundBytes;

	private final Budget outboundBytes;

	/* Small replies: bounded by the slots. */
	private final Budget unbounded = new Budget(Long.MAX_VALUE);

	private boolean greeted;

	ServedConnection(PeerContext context, Replica replica, RefusalLog refusals, BooleanSupplier draining) {
		this.context = context;
		this.replica = replica;
		this.refusals = refusals;
		this.draining = draining;
		InternodeProperties properties = context.properties();
		this.slots = new Budget(properties.maxRequests());
		this.inboundBytes = new Budget(properties.maxBytes().toBytes());
		this.outboundBytes = new Budget(properties.maxBytes().toBytes());
	}

	@Override
	public Mono<Payload> requestResponse(Payload payload) {
		Request.Envelope envelope;
		try {
			envelope = RequestCodec.decode(payload.data());
		}
		catch (MalformedMessageException malformed) {
			log.warn("A request is not understood: {}", malformed.getMessage());
			return Mono.just(payload(failed(Reason.FAILED, "not understood: " + malformed.getMessage())));
		}
		finally {
			payload.release();
		}
		return reply(envelope);
	}

	private Mono<Payload> reply(Request.Envelope envelope) {
		if (envelope.request() instanceof Request.Hello(var theirs)) {
			return Mono.just(payload(greet(envelope, theirs)));
		}
		if (!this.greeted) {
			return Mono.just(payload(failed(Reason.DISCONNECTED, "not greeted")));
		}
		this.context.clock().observe(envelope.stamp());
		long waitedMicros = waited(envelope);
		return switch (envelope.request()) {
			case Request.Ping _ -> Mono.just(payload(new Reply.Pong(this.context.clock().physicalMillis())));
			case Request.Hello _ -> throw new IllegalStateException("has been answered");
			case Request.Apply apply -> admitted(envelope, waitedMicros, (deadline) -> apply(apply, deadline));
			case Request.Read read -> admitted(envelope, waitedMicros, (deadline) -> read(read, deadline));
			case Request.Page page -> admitted(envelope, waitedMicros, (deadline) -> page(page, deadline));
		};
	}

	private Reply greet(Request.Envelope envelope, Greeting theirs) {
		waited(envelope);
		Greeting ours = this.context.greeting(theirs.node().id());
		String mismatch = Greeting.mismatch(ours, theirs);
		this.greeted = mismatch == null;
		if (mismatch != null) {
			this.refusals.refused(theirs.node().id(), mismatch);
		}
		else {
			this.context.clock().observe(envelope.stamp());
		}
		return new Reply.Welcome(ours);
	}

	private long waited(Request.Envelope envelope) {
		return this.transit.waitedMicros(envelope.sentMicros(), PeerContext.nowMicros());
	}

	/** What is done with a request that may be. */
	private interface Work {

		Mono<Payload> begin(Deadline deadline);

	}

	private Mono<Payload> admitted(Request.Envelope envelope, long waitedMicros, Work work) {
		long remainingMicros = TimeUnit.MILLISECONDS.toMicros(envelope.remainingMillis()) - waitedMicros;
		if (remainingMicros <= 0) {
			return Mono.just(payload(
					failed(Reason.TIMEOUT, "the deadline had passed when the request's turn came, nothing was done")));
		}
		if (this.draining.getAsBoolean()) {
			return Mono.just(payload(failed(Reason.DRAINING, "the node drains")));
		}
		if (!this.slots.tryTake(1)) {
			return Mono.just(
					payload(failed(Reason.OVERLOADED, "%d requests of a peer in work".formatted(this.slots.taken()))));
		}
		return work.begin(new Deadline(System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(remainingMicros)));
	}

	/**
	 * A write goes on when its peer has given it up, and counts until it has an outcome.
	 */
	private Mono<Payload> apply(Request.Apply apply, Deadline deadline) {
		int size = RequestCodec.size(apply);
		if (!this.inboundBytes.tryTake(size)) {
			this.slots.giveBack(1);
			return Mono.just(payload(failed(Reason.OVERLOADED,
					"%d bytes of a peer's writes in work".formatted(this.inboundBytes.taken()))));
		}
		Mono<WriteReply> reply = Mono.defer(() -> this.replica.apply(apply.key(), apply.entry(), deadline))
			.doFinally((_) -> {
				this.inboundBytes.giveBack(size);
				this.slots.giveBack(1);
			})
			.onErrorResume((failure) -> Mono.just(new WriteReply.Failed(broken(failure))))
			.cache();
		reply.subscribe();
		return reply.map((said) -> payload(switch (said) {
			case WriteReply.Applied _ -> new Reply.Applied();
			case WriteReply.Superseded(var by) -> new Reply.Superseded(by);
			case WriteReply.Failed(var failure) -> new Reply.Failed(failure);
		}));
	}

	private Mono<Payload> read(Request.Read read, Deadline deadline) {
		return Mono.defer(() -> this.replica.read(read.key(), deadline))
			.doFinally((_) -> this.slots.giveBack(1))
			.onErrorResume((failure) -> Mono.just(new ReadReply.Failed(broken(failure))))
			.map((said) -> bounded(switch (said) {
				case ReadReply.Found(var entry) -> new Reply.Found(entry);
				case ReadReply.Absent _ -> new Reply.Absent();
				case ReadReply.Failed(var failure) -> new Reply.Failed(failure);
			}, read.maxReplyBytes()));
	}

	private Mono<Payload> page(Request.Page page, Deadline deadline) {
		PageLimit asked = page.limit();
		PageLimit limit = new PageLimit(Math.min(asked.records(), Wire.PAGE_RECORDS),
				Math.min(asked.sizeBytes(), Wire.PAGE_BYTES), asked.examined());
		return Mono.defer(() -> this.replica.page(page.start(), page.end(), limit, deadline))
			.doFinally((_) -> this.slots.giveBack(1))
			.onErrorResume((failure) -> Mono.just(new PageReply.Failed(broken(failure))))
			.map((said) -> bounded(switch (said) {
				case PageReply.Page(var records) -> new Reply.Page(records);
				case PageReply.Failed(var failure) -> new Reply.Failed(failure);
			}, page.maxReplyBytes()));
	}

	private static Failure broken(Throwable failure) {
		log.error("A replica has failed instead of saying so", failure);
		return new Failure(Reason.FAILED, String.valueOf(failure.getMessage()));
	}

	/** A reply of as many bytes as are asked for and as there is room for. */
	private Payload bounded(Reply reply, int maxReplyBytes) {
		Message message = this.context.encode(reply);
		int size = message.size();
		if (size > maxReplyBytes && !(reply instanceof Reply.Failed)) {
			return payload(new Reply.TooLarge(size));
		}
		if (size <= Wire.LARGE_BYTES) {
			return counted(message, this.unbounded);
		}
		if (!this.outboundBytes.tryTake(size)) {
			return payload(failed(Reason.OVERLOADED,
					"%d bytes of replies wait for a peer to take them".formatted(this.outboundBytes.taken())));
		}
		return message.toPayload(this.outboundBytes);
	}

	private Payload payload(Reply reply) {
		return counted(this.context.encode(reply), this.unbounded);
	}

	private static Payload counted(Message message, Budget budget) {
		budget.tryTake(message.size());
		return message.toPayload(budget);
	}

	private static Reply.Failed failed(Reason reason, String detail) {
		return new Reply.Failed(new Failure(reason, detail));
	}

	long requestsInWork() {
		return this.slots.taken();
	}

	long bytesInFlight() {
		return this.inboundBytes.taken() + this.outboundBytes.taken() + this.unbounded.taken();
	}

}
