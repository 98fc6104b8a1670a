package io.quorate.internode.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.quorate.clock.Deadline;
import io.quorate.consensus.Answer;
import io.quorate.consensus.Decisions;
import io.quorate.internode.InternodeMeters;
import io.quorate.internode.PeerStatusExchange;
import io.quorate.internode.context.PeerContext;
import io.quorate.internode.context.ReplicaSpans;
import io.quorate.internode.frame.EventLoops;
import io.quorate.internode.frame.FrameConnection;
import io.quorate.internode.frame.PendingConnection;
import io.quorate.internode.tls.Encryption;
import io.quorate.internode.wire.Budget;
import io.quorate.internode.wire.Handshake;
import io.quorate.internode.wire.Mismatch;
import io.quorate.internode.wire.Outgoing;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.Request;
import io.quorate.internode.wire.RequestCodec;
import io.quorate.internode.wire.Versions;
import io.quorate.membership.exchange.LayoutExchange;
import io.quorate.membership.layout.LayoutReport;
import io.quorate.membership.reports.MemberProcesses.Presence;
import io.quorate.meter.TraceContext;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.netty.Connection;

/**
 * A connection of a peer to this node: requests in, replies out. Belongs to its event
 * loop.
 */
final class ServedConnection implements FrameConnection.Receiver {

	private static final Logger log = LoggerFactory.getLogger(ServedConnection.class);

	private final PortContext port;

	private final PeerContext context;

	private final PendingConnection pendingConnection;

	private final Consumer<ServedConnection> gone;

	/* For a closed connection reactor-netty returns another one, without event loop. */
	private final Channel channel;

	private final FrameConnection frames;

	private final TransitDelay transit = new TransitDelay();

	/* For replies before the handshake has succeeded: one for each request. */
	private final Budget unbounded = new Budget(Long.MAX_VALUE);

	private final IntObjectMap<Work> inWork = new IntObjectHashMap<>();

	/* The event loop writes it, others read it. */
	private volatile @Nullable String peer;

	private UUID storageId = new UUID(0, 0);

	private @Nullable Presence presence;

	private @Nullable PeerRequestHandler handler;

	/**
	 * A connection that has just been opened.
	 * @param gone receives the connection when it is closed
	 */
	ServedConnection(PortContext port, Connection connection, Consumer<ServedConnection> gone) {
		this.port = port;
		this.context = port.context();
		this.channel = connection.channel();
		this.pendingConnection = PendingConnection.of(this.channel);
		this.gone = gone;
		this.frames = FrameConnection.accepted(connection, this.context.transport().maxMessageBytes(),
				this.pendingConnection, this);
	}

	@Override
	public @Nullable String objection(ByteBuf frame) {
		return this.pendingConnection.objection(frame);
	}

	/** A stream is used by one request at a time. */
	@Override
	public boolean expects(int stream) {
		return !this.inWork.containsKey(stream);
	}

	@Override
	public void received(int stream, ByteBuf message) {
		Mono<Outgoing> reply = reply(RequestCodec.decode(message));
		if (reply != null) {
			Work work = new Work(stream);
			this.inWork.put(stream, work);
			reply.subscribe(work);
		}
	}

	@Override
	public void cancelled(int stream) {
		Work work = this.inWork.remove(stream);
		if (work != null) {
			work.cancel();
		}
	}

	/** A peer that connects sends no replies. */
	@Override
	public void failed(int stream, String why) {
		cancelled(stream);
	}

	/**
	 * Refuses the connection; a sender that does not speak the protocol gets no reply.
	 */
	@Override
	public void refuse(String why) {
		this.pendingConnection.refuse(why);
	}

	/** The connection is closed: its requests are given up. */
	@Override
	public void closed() {
		for (Work work : new ArrayList<>(this.inWork.values())) {
			work.cancel();
		}
		this.inWork.clear();
		String left = this.peer;
		if (left != null) {
			this.port.shares().leave(left);
		}
		if (this.presence != null) {
			this.presence.end();
		}
		this.peer = null;
		this.handler = null;
		this.gone.accept(this);
	}

	/** Nothing was read for so long: closes the connection. */
	void silentFor(Duration time) {
		if (this.frames.isPaused()) {
			this.frames.refuse("it has not taken its replies for %d ms".formatted(time.toMillis()));
		}
		else {
			log.info("A connection of {} is closed: it was silent for {} ms", this.peer, time.toMillis());
			close();
		}
	}

	/** Whether a peer has opened it. */
	boolean isOf(String node) {
		return node.equals(this.peer);
	}

	/**
	 * Its node has left the cluster, or has not joined it: closes the connection; from
	 * any thread.
	 */
	void dismiss() {
		log.info("A connection of {} is closed: it is no member", this.peer);
		close();
	}

	/** Id of the peer if its connection is not encrypted, else {@code null}. */
	@Nullable String peerInPlain() {
		return isEncrypted() ? null : this.peer;
	}

	private boolean isEncrypted() {
		return Encryption.isEncrypted(this.channel);
	}

	/** Closes the connection; from any thread. */
	void close() {
		this.frames.close();
	}

	/** The reply to come, or {@code null} for none: the connection is refused. */
	private @Nullable Mono<Outgoing> reply(Request.Envelope envelope) {
		long waitedMicros = this.transit.waitedMicros(envelope.sentMicros(), PeerContext.nowMicros());
		PeerRequestHandler admitted = this.handler;
		String from = this.peer;
		if (envelope.request() instanceof Request.Hello(var theirs)) {
			String objection = objection(theirs);
			if (objection == null) {
				return reply(greet(envelope, theirs));
			}
			this.frames.refuse(objection);
			return null;
		}
		if (envelope.request() instanceof Request.Join(var theirs, var candidate)) {
			if (admitted == null) {
				return join(theirs, candidate);
			}
			this.frames.refuse("it asks to join behind its handshake");
			return null;
		}
		if (admitted == null || from == null) {
			this.frames.refuse("it sends a request before its handshake");
			return null;
		}
		if (this.presence != null) {
			this.presence.heard();
		}
		this.context.clock().observe(envelope.stamp());
		if (envelope.request() instanceof Request.Ping ping) {
			return reply(pong(from, ping));
		}
		if (envelope.request() instanceof Request.Silence(var member)) {
			return reply(new Reply.Silence(this.context.exchanges()
				.layouts()
				.silenceOf(member)
				.map(Duration::toMillis)
				.orElse(Reply.Silence.UNKNOWN)));
		}
		if (envelope.request() instanceof Request.Introduce(var candidate)) {
			// The meeting goes on when the answer is not awaited any more.
			return Mono.fromFuture(this.port.listener().introduces(from, candidate), true)
				.map((objection) -> outgoing(new Reply.Introduced(objection)));
		}
		long remainingMicros = TimeUnit.MILLISECONDS.toMicros(envelope.remainingMillis()) - waitedMicros;
		if (remainingMicros <= 0) {
			this.port.expired().increment();
			return reply(
					failed(Reason.TIMEOUT, "the deadline had passed when the request's turn came, nothing was done"));
		}
		Deadline deadline = new Deadline(System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(remainingMicros));
		TraceContext place = envelope.trace();
		return (place != null) ? traced(place, admitted, envelope, deadline)
				: admitted.begin(envelope.request(), envelope.layout(), deadline);
	}

	private Mono<Outgoing> traced(TraceContext place, PeerRequestHandler admitted, Request.Envelope envelope,
			Deadline deadline) {
		String work = envelope.request().getClass().getSimpleName().toLowerCase(Locale.ROOT);
		ReplicaSpans.Open span = this.context.observation().spans().begin(place, work);
		try {
			return admitted.begin(envelope.request(), envelope.layout(), deadline)
				.doFinally((end) -> span.end((end == SignalType.CANCEL) ? "cancelled" : "answered"));
		}
		catch (RuntimeException | Error failure) {
			span.end("failed");
			throw failure;
		}
	}

	private @Nullable String objection(Handshake theirs) {
		if (this.handler != null) {
			return "it sends a second handshake";
		}
		return this.port.shares().isFull(theirs.node().id())
				? "its node has %d connections already".formatted(PeerQuotas.MAX_CONNECTIONS) : null;
	}

	private Reply pong(String from, Request.Ping ping) {
		PeerStatusExchange peerStatusExchange = this.context.exchanges().statuses();
		peerStatusExchange.heard(from, this.storageId, ping.dataStatus());
		return new Reply.Pong(this.context.clock().physicalMillis(), this.context.node().drainState().isAnnounced(),
				peerStatusExchange.dataStatus(from), this.context.exchanges().programs().own(),
				this.context.exchanges().layouts().own(), Objects.requireNonNullElse(
						this.context.exchanges().layouts().processes().addressesOf(from, this.storageId), ""));
	}

	/* The connection stays one without a handshake: it is used for nothing else. */
	private Mono<Outgoing> join(Handshake theirs, String candidate) {
		String id = theirs.node().id();
		Mismatch mismatch = Mismatch.of(this.context.node().self(), this.context.exchanges().layouts().own(),
				this.context.versions(), theirs, Set.of(id));
		if (mismatch != null) {
			this.port.refusals().refused(id, mismatch.values());
			return reply(new Reply.Refused(mismatch.field()));
		}
		return Mono
			.fromFuture(
					this.port.listener()
						.asksToJoin(id, candidate,
								(host) -> this.context.transport().encryption().hostObjection(this.channel, host)),
					true)
			.map((words) -> outgoing(new Reply.Join(words)));
	}

	private Reply greet(Request.Envelope envelope, Handshake theirs) {
		Versions ours = this.context.versions();
		Mismatch mismatch = Mismatch.of(this.context.node().self(), this.context.exchanges().layouts().own(), ours,
				theirs, this.context.node().others().get());
		if (mismatch != null) {
			LayoutReport known = theirs.layout();
			Decisions later = (mismatch.field() == Mismatch.Field.SPEAKER) ? later(theirs) : null;
			boolean mayLearn = later != null || mayLearn(mismatch, known);
			this.port.refusals().refused(mayLearn ? Level.INFO : Level.ERROR, theirs.node().id(), mismatch.values());
			if (mismatch.field() == Mismatch.Field.SPEAKER && known != null
					&& theirs.expected().equals(this.context.node().self().id())) {
				this.context.exchanges().layouts().refused(theirs.node().id(), known.adopted());
			}
			return refusal(mismatch.field(), later);
		}
		String id = theirs.node().id();
		String stranger = this.context.transport().encryption().objection(this.channel, id);
		if (stranger != null) {
			this.port.refusals().refused(id, stranger);
			return new Reply.Refused(Mismatch.Field.SPEAKER);
		}
		Presence entered = this.context.exchanges()
			.layouts()
			.processes()
			.enter(this.context.process(theirs.node(), this.channel.remoteAddress()), this::close);
		String addresses = entered.refusal();
		if (addresses != null) {
			InternodeMeters.CONNECTIONS_REFUSED.counter(this.context.observation().registry()).increment();
			return new Reply.Occupied(addresses, later(theirs));
		}
		this.presence = entered;
		this.pendingConnection.greeted();
		this.context.clock().observe(envelope.stamp());
		this.peer = id;
		this.storageId = theirs.node().storageId();
		this.context.exchanges()
			.statuses()
			.met(id, this.storageId, theirs.statuses().own(), theirs.statuses().lastKnown());
		LayoutReport layout = theirs.layout();
		if (layout != null) {
			this.context.exchanges().layouts().heard(id, layout);
		}
		this.port.listener().greetedBy(id, isEncrypted());
		PeerQuota share = this.port.shares().enter(id);
		this.frames.countPartsAgainst(share.partBytes());
		this.handler = new PeerRequestHandler(this.port, id, share);
		return new Reply.Welcome(this.context.handshake(id, ours.highestCommon(theirs.versions())));
	}

	/*
	 * Of two nodes that have layouts of one history, the one that is behind learns the
	 * later one, and a candidate that of the members.
	 */
	private boolean mayLearn(Mismatch mismatch, @Nullable LayoutReport theirs) {
		LayoutExchange layouts = this.context.exchanges().layouts();
		return mismatch.field() == Mismatch.Field.SPEAKER
				&& ((theirs != null && layouts.own() != null) || !layouts.isMember());
	}

	/*
	 * A node of other versions would understand nothing but versions. A node of this
	 * cluster that is no member may have been away when it was removed: it learns that
	 * from the layouts that it lacks. One that is started with an empty directory knows
	 * none: it would take that of its configuration for the last one.
	 */
	private Reply refusal(Mismatch.Field field, @Nullable Decisions later) {
		if (later != null) {
			return new Reply.Layout(new Answer.Later(later));
		}
		return (field == Mismatch.Field.VERSION) ? new Reply.Welcome(Handshake.ofVersions(this.context.versions()))
				: new Reply.Refused(field);
	}

	private @Nullable Decisions later(Handshake theirs) {
		LayoutReport known = theirs.layout();
		return (known != null) ? this.context.exchanges().layouts().later(known.adopted())
				: this.context.exchanges().layouts().laterThanFirst(theirs.node().id());
	}

	private Mono<Outgoing> reply(Reply reply) {
		return Mono.just(outgoing(reply));
	}

	private Outgoing outgoing(Reply reply) {
		PeerRequestHandler admitted = this.handler;
		return (admitted != null) ? admitted.outgoing(reply) : this.context.outgoing(reply, this.unbounded);
	}

	private static Reply.Failed failed(Reason reason, String detail) {
		return new Reply.Failed(new Failure(reason, detail));
	}

	/**
	 * A request in work, and its reply, which is sent or released once: on the event
	 * loop, whatever thread it comes from.
	 */
	private final class Work implements CoreSubscriber<Outgoing> {

		private final int stream;

		private @Nullable Subscription subscription;

		private Work(int stream) {
			this.stream = stream;
		}

		@Override
		public void onSubscribe(Subscription itsSubscription) {
			this.subscription = itsSubscription;
			itsSubscription.request(Long.MAX_VALUE);
		}

		@Override
		public void onNext(Outgoing reply) {
			if (!run(() -> send(reply))) {
				reply.release();
			}
		}

		private boolean run(Runnable task) {
			return EventLoops.run(ServedConnection.this.channel.eventLoop(), task);
		}

		private void send(Outgoing reply) {
			if (isRemoved()) {
				ServedConnection.this.frames.send(this.stream, reply);
			}
			else {
				reply.release();
			}
		}

		/* The stream may have been cancelled, and used again. */
		private boolean isRemoved() {
			IntObjectMap<Work> all = ServedConnection.this.inWork;
			if (all.get(this.stream) != this) {
				return false;
			}
			all.remove(this.stream);
			return true;
		}

		@Override
		public void onError(Throwable failure) {
			log.error("Bug: a request has ended with an error instead of a reply", failure);
			run(() -> {
				if (isRemoved()) {
					ServedConnection.this.frames.sendError(this.stream, String.valueOf(failure.getMessage()));
				}
			});
		}

		/** A reply has come before, or the request was given up. */
		@Override
		public void onComplete() {
			run(() -> {
				if (isRemoved()) {
					log.error("Bug: a request has ended without a reply");
					ServedConnection.this.frames.sendError(this.stream, "no reply");
				}
			});
		}

		private void cancel() {
			if (this.subscription != null) {
				this.subscription.cancel();
			}
		}

	}

}
