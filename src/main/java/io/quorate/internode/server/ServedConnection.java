package io.quorate.internode.server;

import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.micrometer.core.instrument.Counter;
import io.quorate.clock.Deadline;
import io.quorate.internode.PeerStatusExchange;
import io.quorate.internode.context.PeerContext;
import io.quorate.internode.frame.PendingConnection;
import io.quorate.internode.wire.Budget;
import io.quorate.internode.wire.Handshake;
import io.quorate.internode.wire.MalformedMessageException;
import io.quorate.internode.wire.Mismatch;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.Request;
import io.quorate.internode.wire.RequestCodec;
import io.quorate.internode.wire.Wire;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.security.RefusalLog;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A connection of a peer to this node: requests in, replies out. Belongs to its event
 * loop.
 */
final class ServedConnection implements RSocket {

	private static final String OTHER_WAY = "it speaks RSocket in another way than nodes do";

	private final PeerContext context;

	private final ServedReplica servedReplica;

	private final RefusalLog refusals;

	private final PeerQuotas shares;

	private final Counter expired;

	private final Consumer<String> greetedBy;

	private final PendingConnection pendingConnection;

	private final TransitDelay transit = new TransitDelay();

	/* For replies before the handshake has succeeded: one for each request. */
	private final Budget unbounded = new Budget(Long.MAX_VALUE);

	private @Nullable String peer;

	private UUID storageId = new UUID(0, 0);

	private @Nullable PeerRequestHandler work;

	ServedConnection(PeerContext context, ServedReplica servedReplica, RefusalLog refusals, PeerQuotas shares,
			Counter expired, Consumer<String> greetedBy, PendingConnection pendingConnection) {
		this.context = context;
		this.servedReplica = servedReplica;
		this.refusals = refusals;
		this.shares = shares;
		this.expired = expired;
		this.greetedBy = greetedBy;
		this.pendingConnection = pendingConnection;
	}

	@Override
	public Mono<Payload> requestResponse(Payload payload) {
		Request.Envelope envelope;
		try {
			envelope = RequestCodec.decode(payload.data());
		}
		catch (MalformedMessageException malformed) {
			return refused("a request is not understood: " + malformed.getMessage());
		}
		finally {
			payload.release();
		}
		return reply(envelope);
	}

	@Override
	public Mono<Void> fireAndForget(Payload payload) {
		payload.release();
		return refused(OTHER_WAY);
	}

	@Override
	public Flux<Payload> requestStream(Payload payload) {
		payload.release();
		return Flux.from(refused(OTHER_WAY));
	}

	@Override
	public Flux<Payload> requestChannel(Publisher<Payload> payloads) {
		return Flux.from(refused(OTHER_WAY));
	}

	@Override
	public Mono<Void> metadataPush(Payload payload) {
		payload.release();
		return refused(OTHER_WAY);
	}

	/**
	 * Refuses the connection; a sender that does not speak the protocol gets no reply.
	 */
	private <T> Mono<T> refused(String why) {
		this.pendingConnection.refuse(why);
		return Mono.never();
	}

	private Mono<Payload> reply(Request.Envelope envelope) {
		long waitedMicros = this.transit.waitedMicros(envelope.sentMicros(), PeerContext.nowMicros());
		if (envelope.request() instanceof Request.Hello(var theirs)) {
			return (this.work == null) ? reply(greet(envelope, theirs)) : refused("it sends a second handshake");
		}
		PeerRequestHandler admitted = this.work;
		String from = this.peer;
		if (admitted == null || from == null) {
			return refused("it sends a request before its handshake");
		}
		this.context.clock().observe(envelope.stamp());
		if (envelope.request() instanceof Request.Ping ping) {
			return reply(pong(from, ping));
		}
		if (envelope.request() instanceof Request.Leave) {
			String objection = this.servedReplica.departures().apply(from);
			return reply(new Reply.Leave((objection != null) ? objection : ""));
		}
		long remainingMicros = TimeUnit.MILLISECONDS.toMicros(envelope.remainingMillis()) - waitedMicros;
		if (remainingMicros <= 0) {
			this.expired.increment();
			return reply(
					failed(Reason.TIMEOUT, "the deadline had passed when the request's turn came, nothing was done"));
		}
		return admitted.begin(envelope.request(),
				new Deadline(System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(remainingMicros)));
	}

	private Reply pong(String from, Request.Ping ping) {
		PeerStatusExchange peerStatusExchange = this.context.peerStatusExchange();
		peerStatusExchange.heard(from, this.storageId, ping.dataStatus());
		return new Reply.Pong(this.context.clock().physicalMillis(), this.context.drainState().isAnnounced(),
				peerStatusExchange.dataStatus(from));
	}

	private Reply greet(Request.Envelope envelope, Handshake theirs) {
		Mismatch mismatch = Mismatch.of(this.context.self(), theirs, this.context.others());
		if (mismatch != null) {
			this.refusals.refused(theirs.node().id(), mismatch.values());
			/* A node of another version would understand nothing else. */
			return (mismatch.field() == Mismatch.Field.VERSION) ? new Reply.Welcome(Handshake.ofVersion(Wire.VERSION))
					: new Reply.Refused(mismatch.field());
		}
		String id = theirs.node().id();
		this.pendingConnection.greeted();
		this.context.clock().observe(envelope.stamp());
		this.peer = id;
		this.storageId = theirs.node().storageId();
		this.context.peerStatusExchange().met(id, this.storageId, theirs.dataStatus(), theirs.lastKnownStatus());
		this.greetedBy.accept(id);
		this.work = new PeerRequestHandler(this.context, this.servedReplica, id, this.shares.enter(id));
		return new Reply.Welcome(this.context.handshake(id));
	}

	/** The connection is closed. */
	void leave() {
		if (this.peer != null) {
			this.shares.leave(this.peer);
		}
		this.peer = null;
		this.work = null;
	}

	private Mono<Payload> reply(Reply reply) {
		PeerRequestHandler admitted = this.work;
		return Mono.just((admitted != null) ? admitted.payload(reply) : this.context.payload(reply, this.unbounded));
	}

	private static Reply.Failed failed(Reason reason, String detail) {
		return new Reply.Failed(new Failure(reason, detail));
	}

}
