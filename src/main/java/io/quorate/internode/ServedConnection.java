package io.quorate.internode;

import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.micrometer.core.instrument.Counter;
import io.quorate.clock.Deadline;
import io.quorate.replica.Failure;
import io.quorate.replica.Failure.Reason;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * A connection of a peer to this node: requests in, replies out. Belongs to its event
 * loop.
 */
final class ServedConnection implements RSocket {

	private static final Logger log = LoggerFactory.getLogger(ServedConnection.class);

	private final PeerContext context;

	private final Served served;

	private final RefusalLog refusals;

	private final PeerShares shares;

	private final Counter expired;

	private final Consumer<String> greetedBy;

	private final TransitDelay transit = new TransitDelay();

	/* Replies to who is no peer yet: one for each of its requests. */
	private final Budget unbounded = new Budget(Long.MAX_VALUE);

	private @Nullable String peer;

	private UUID storageId = new UUID(0, 0);

	private @Nullable PeerWork work;

	ServedConnection(PeerContext context, Served served, RefusalLog refusals, PeerShares shares, Counter expired,
			Consumer<String> greetedBy) {
		this.context = context;
		this.served = served;
		this.refusals = refusals;
		this.shares = shares;
		this.expired = expired;
		this.greetedBy = greetedBy;
	}

	@Override
	public Mono<Payload> requestResponse(Payload payload) {
		Request.Envelope envelope;
		try {
			envelope = RequestCodec.decode(payload.data());
		}
		catch (MalformedMessageException malformed) {
			log.warn("A request is not understood: {}", malformed.getMessage());
			return reply(failed(Reason.FAILED, "not understood: " + malformed.getMessage()));
		}
		finally {
			payload.release();
		}
		return reply(envelope);
	}

	private Mono<Payload> reply(Request.Envelope envelope) {
		long waitedMicros = this.transit.waitedMicros(envelope.sentMicros(), PeerContext.nowMicros());
		if (envelope.request() instanceof Request.Hello(var theirs)) {
			return reply(greet(envelope, theirs));
		}
		PeerWork admitted = this.work;
		String from = this.peer;
		if (admitted == null || from == null) {
			return reply(failed(Reason.DISCONNECTED, "not greeted"));
		}
		this.context.clock().observe(envelope.stamp());
		if (envelope.request() instanceof Request.Ping ping) {
			return reply(pong(from, ping));
		}
		if (envelope.request() instanceof Request.Leave) {
			String objection = this.served.departures().apply(from);
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
		Acquaintances acquaintances = this.context.acquaintances();
		acquaintances.heard(from, this.storageId, ping.standing());
		return new Reply.Pong(this.context.clock().physicalMillis(), this.context.departure().isAnnounced(),
				acquaintances.standing(from));
	}

	private Reply greet(Request.Envelope envelope, Greeting theirs) {
		Greeting ours = this.context.greeting(theirs.node().id());
		String mismatch = Greeting.mismatch(ours, theirs);
		leave();
		if (mismatch != null) {
			this.refusals.refused(theirs.node().id(), mismatch);
		}
		else {
			this.context.clock().observe(envelope.stamp());
			this.peer = theirs.node().id();
			this.storageId = theirs.node().storageId();
			this.context.acquaintances().met(this.peer, this.storageId, theirs.standing(), theirs.recollection());
			ours = this.context.greeting(this.peer);
			this.greetedBy.accept(this.peer);
			this.work = new PeerWork(this.context, this.served, this.peer, this.shares.enter(theirs.node().id()));
		}
		return new Reply.Welcome(ours);
	}

	/** The connection is closed, or another node speaks. */
	void leave() {
		if (this.peer != null) {
			this.shares.leave(this.peer);
		}
		this.peer = null;
		this.work = null;
	}

	private Mono<Payload> reply(Reply reply) {
		PeerWork admitted = this.work;
		return Mono.just((admitted != null) ? admitted.payload(reply) : this.context.payload(reply, this.unbounded));
	}

	private static Reply.Failed failed(Reason reason, String detail) {
		return new Reply.Failed(new Failure(reason, detail));
	}

}
