package io.quorate.internode.peer;

import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.quorate.clock.Deadline;
import io.quorate.consensus.Answer;
import io.quorate.consensus.Decisions;
import io.quorate.internode.InternodeProperties;
import io.quorate.internode.context.PeerContext;
import io.quorate.internode.frame.EventLoops;
import io.quorate.internode.frame.FrameConnection;
import io.quorate.internode.tls.Encryption;
import io.quorate.internode.wire.Budget;
import io.quorate.internode.wire.Handshake;
import io.quorate.internode.wire.Message;
import io.quorate.internode.wire.Mismatch;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.ReplyCodec;
import io.quorate.internode.wire.Request;
import io.quorate.internode.wire.RequestTags;
import io.quorate.internode.wire.Versions;
import io.quorate.internode.wire.Wire;
import io.quorate.membership.reports.MemberProcesses.Presence;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import io.quorate.security.Printable;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.netty.Connection;
import reactor.netty.tcp.TcpClient;

/**
 * One connection to a peer, from the attempt to connect to its end, which comes once.
 * Belongs to its event loop; signals from other threads are passed on to it.
 */
final class PeerConnection implements InFlightRequests.Watch, FailureDetector.Line, FrameConnection.Receiver {

	/** A listener to one connection. Called on the connection's event loop. */
	interface Listener extends FailureDetector.Listener {

		/** Both sides have accepted the handshake. */
		void ready(PeerConnection connection, Handshake theirs);

		/**
		 * One side has refused the handshake.
		 * @param mayPass whether the reason passes when layouts are learned; otherwise an
		 * operator has to remove it
		 */
		void mismatch(String mismatch, boolean mayPass);

		/** The connection is over. */
		void ended(PeerConnection connection, String why);

	}

	/* Of a reply whose sender may be no node. */
	private static final int MAX_PRINTED = 200;

	/* Before the words of the system the transport names its call and their number. */
	private static final Pattern SYSTEM_CALL = Pattern.compile("^\\w+\\(\\.\\.\\) failed with error\\(-\\d+\\): ");

	/** Beginning of the reason of an end without a connection. */
	static final String CANNOT_CONNECT = "cannot connect: ";

	private final EventLoop loop;

	private final String peer;

	private final PeerContext context;

	private final Listener listener;

	private final InFlightRequests inFlightRequests;

	private final FailureDetector signs;

	/* Keep-alives are small and few, whatever else is in flight. */
	private final Budget unbounded = new Budget(Long.MAX_VALUE);

	private Disposable connecting = Disposables.disposed();

	private @Nullable ScheduledFuture<?> timer;

	private @Nullable FrameConnection frames;

	/*
	 * Identity of the peer's data; the next process of the peer has another connection.
	 */
	private @Nullable UUID storageId;

	private @Nullable Presence presence;

	private volatile boolean encrypted;

	private boolean over;

	/**
	 * A connection that is not attempted yet.
	 * @param judged whether silence means something: not where large values delay the
	 * keep-alives
	 */
	PeerConnection(EventLoop loop, String peer, PeerContext context, boolean judged, Listener listener) {
		this.loop = loop;
		this.peer = peer;
		this.context = context;
		this.listener = listener;
		this.inFlightRequests = new InFlightRequests(loop, this, context.clock()::nanos);
		this.signs = new FailureDetector(this, peer, this.inFlightRequests, context, judged, listener);
	}

	/**
	 * Begins the attempt, which ends by itself when the handshake does not succeed in
	 * time.
	 */
	void open(TcpClient client) {
		InternodeProperties properties = this.context.properties();
		this.timer = this.loop.schedule(() -> end("no handshake in time"), properties.connectTimeout().toMillis(),
				TimeUnit.MILLISECONDS);
		this.connecting = client.connect()
			.subscribe((connection) -> onLoop(() -> greet(connection)),
					(failure) -> onLoop(() -> end(CANNOT_CONNECT + reason(failure))));
	}

	static String reason(Throwable failure) {
		String message = failure.getMessage();
		return (message != null) ? SYSTEM_CALL.matcher(message).replaceFirst("") : failure.getClass().getSimpleName();
	}

	private void greet(Connection connection) {
		if (this.over) {
			connection.dispose();
			return;
		}
		InternodeProperties properties = this.context.properties();
		Versions ours = this.context.versions();
		Channel channel = connection.channel();
		this.encrypted = Encryption.isEncrypted(channel);
		this.frames = FrameConnection.connected(connection, this.context.transport().maxMessageBytes(),
				properties.disconnectAfter(), this);
		ask(new Request.Hello(this.context.handshake(this.peer, ours.oldest())), properties.connectTimeout(),
				(reply) -> {
					switch (reply) {
						case Reply.Welcome(var theirs) -> judge(theirs, channel);
						case Reply.Refused(var field) ->
							mismatch("the %s differs; the peer's log says more".formatted(field.words()),
									field == Mismatch.Field.SPEAKER);
						case Reply.Layout(Answer.Later(var later)) -> excluded(later, channel);
						case Reply.Occupied(var addresses, var later) ->
							occupied(Printable.of(addresses, MAX_PRINTED), later, channel);
						default -> end("no handshake: " + Printable.of(reply, MAX_PRINTED));
					}
				});
		if (!channel.isActive()) {
			closed();
		}
	}

	/* Another process is this member. */
	private void occupied(String addresses, @Nullable Decisions later, Channel channel) {
		String stranger = this.context.transport().encryption().objection(channel, this.peer);
		if (stranger == null) {
			this.context.exchanges().layouts().processes().refusedBy(this.peer, addresses);
			if (later != null) {
				this.context.exchanges().layouts().excludedBy(this.peer, later);
			}
		}
		mismatch(
				(stranger != null) ? stranger
						: "another process is this member: %s".formatted(this.context.node().self().id()),
				stranger == null);
	}

	/* This node is no member by layouts that it does not know yet. */
	private void excluded(Decisions later, Channel channel) {
		String stranger = this.context.transport().encryption().objection(channel, this.peer);
		if (stranger == null) {
			this.context.exchanges().layouts().excludedBy(this.peer, later);
		}
		mismatch(
				(stranger != null) ? stranger
						: "this node is no member by version %d of the layout".formatted(later.latest().version()),
				stranger == null);
	}

	private void mismatch(String said, boolean mayPass) {
		this.listener.mismatch(said, mayPass);
		end("refused, " + said);
	}

	private void judge(Handshake theirs, Channel channel) {
		Versions ours = this.context.versions();
		Mismatch mismatch = Mismatch.of(this.context.node().self(), this.context.exchanges().layouts().own(), ours,
				theirs, Set.of(this.peer));
		if (mismatch != null) {
			mismatch(mismatch.values(), false);
			return;
		}
		String stranger = this.context.transport().encryption().objection(channel, this.peer);
		if (stranger != null) {
			mismatch(stranger, false);
			return;
		}
		if (!ours.has(theirs.version())) {
			end("it speaks version %d, which is not one of %s".formatted(theirs.version(), ours));
			return;
		}
		Presence entered = this.context.exchanges()
			.layouts()
			.processes()
			.enter(this.context.process(theirs.node(), channel.remoteAddress()),
					() -> onLoop(() -> end("another process is the member")));
		if (entered.refusal() != null) {
			end("two processes are %s: %s".formatted(this.peer, entered.refusal()));
			return;
		}
		this.presence = entered;
		this.storageId = theirs.node().storageId();
		cancelTimer();
		long interval = this.context.properties().keepAlive().toMillis();
		this.timer = this.loop.scheduleAtFixedRate(this.signs::ask, interval, interval, TimeUnit.MILLISECONDS);
		this.listener.ready(this, theirs);
	}

	boolean isEncrypted() {
		return this.encrypted;
	}

	/**
	 * Ends a plain connection for an encrypted one, unless a request is under way that
	 * does not only wait.
	 */
	void endIfIdle() {
		if (this.inFlightRequests.isIdle()) {
			end("the peer speaks TLS now");
		}
	}

	/** Sends a request, or ends it at once when the connection is not ready. */
	void send(InFlightRequest inFlightRequest) {
		if (this.frames == null) {
			inFlightRequest.refuse(Reason.DISCONNECTED, "the connection is not ready");
			return;
		}
		this.inFlightRequests.send(inFlightRequest, this.frames);
	}

	void abandon(InFlightRequest inFlightRequest) {
		this.inFlightRequests.abandon(inFlightRequest);
	}

	/** Sends a request of this node's own, to which no limit applies. */
	@Override
	public void ask(Request request, Duration limit, Consumer<Reply> outcome) {
		Deadline deadline = Deadline.after(limit);
		Message message = this.context.encode(request, RequestTags.NONE, deadline);
		this.unbounded.take(message.cost());
		InFlightRequest asked = new InFlightRequest(
				message.outgoing(this.context.transport().allocator(), this.unbounded), deadline, outcome);
		switch (request) {
			case Request.Layout _ -> asked.permit(this.context.transport().maxMessageBytes());
			case Request.Hello _ -> asked.permit(Wire.HANDSHAKE_REPLY_BYTES);
			default -> {
			}
		}
		send(asked);
	}

	/** Sends a keep-alive, unless something has been heard just now. */
	void probe() {
		this.signs.probe();
	}

	/*
	 * A handshake has a time limit of its own, and no keep-alive may follow it before
	 * both nodes have agreed.
	 */
	@Override
	public void silentFor(long nanos, boolean late) {
		if (this.storageId != null) {
			this.signs.silentFor(nanos, late);
		}
	}

	boolean isSuspect() {
		return this.signs.isSuspect();
	}

	@Override
	public boolean expects(int stream) {
		return this.inFlightRequests.of(stream) != null;
	}

	@Override
	public int permittedBytes(int stream) {
		InFlightRequest answered = this.inFlightRequests.of(stream);
		return (answered != null) ? answered.maxReplyBytes() : 0;
	}

	@Override
	public void received(int stream, ByteBuf message) {
		InFlightRequest answered = this.inFlightRequests.of(stream);
		if (answered == null) {
			return;
		}
		int size = message.readableBytes();
		if (size > answered.maxReplyBytes()) {
			end("a reply of %d bytes to a request for at most %d".formatted(size, answered.maxReplyBytes()));
			return;
		}
		answered.replied(size);
		Reply.Envelope reply = ReplyCodec.decode(message);
		this.context.clock().observe(reply.stamp());
		this.inFlightRequests.heard(this.context.clock().nanos());
		this.signs.heard();
		Reply counted = counted(reply.reply());
		noteAcknowledged(counted);
		this.inFlightRequests.finish(answered, counted);
	}

	/*
	 * What another process than the member says of its store counts for nothing. A write
	 * may have happened there.
	 */
	private Reply counted(Reply reply) {
		Presence its = this.presence;
		if (its == null) {
			return reply;
		}
		its.heard();
		return switch (reply) {
			case Reply.Applied _, Reply.Superseded _, Reply.Promised _, Reply.Found _, Reply.Summarized _,
					Reply.Absent _, Reply.Page _, Reply.Changed _, Reply.Register _,
					Reply.Comparison _ when !its.counts() ->
				new Reply.Failed(new Failure(Reason.FAILED,
						"the layout names another directory as %s than that of the process that answers"
							.formatted(this.peer)));
			default -> reply;
		};
	}

	private void noteAcknowledged(Reply reply) {
		if (this.storageId == null) {
			return;
		}
		switch (reply) {
			case Reply.Applied applied ->
				this.context.exchanges().statuses().acknowledged(this.peer, this.storageId, applied.position());
			case Reply.Superseded superseded ->
				this.context.exchanges().statuses().acknowledged(this.peer, this.storageId, superseded.position());
			case Reply.Promised promised ->
				this.context.exchanges().statuses().acknowledged(this.peer, this.storageId, promised.position());
			default -> {
			}
		}
	}

	@Override
	public void failed(int stream, String why) {
		InFlightRequest ended = this.inFlightRequests.of(stream);
		if (ended != null) {
			String detail = "the request failed on its way: " + why;
			this.inFlightRequests.finish(ended, new Reply.Failed(new Failure(Reason.FAILED, detail)));
		}
	}

	/** A peer that was connected to sends no requests. */
	@Override
	public void cancelled(int stream) {
		refuse("it cancels a reply");
	}

	@Override
	public @Nullable String objection(ByteBuf frame) {
		return null;
	}

	@Override
	public void refuse(String why) {
		end(why);
	}

	@Override
	public void closed() {
		end("the connection was closed");
	}

	/**
	 * Ends the connection: its requests fail, and the socket is closed without a last
	 * frame.
	 */
	@Override
	public void end(String why) {
		if (this.over) {
			return;
		}
		this.over = true;
		this.signs.end();
		cancelTimer();
		if (this.presence != null) {
			this.presence.end();
		}
		this.connecting.dispose();
		if (this.frames != null) {
			this.frames.close();
		}
		this.listener.ended(this, why);
		this.inFlightRequests.end(why);
	}

	private void cancelTimer() {
		if (this.timer != null) {
			this.timer.cancel(false);
		}
	}

	private void onLoop(Runnable task) {
		EventLoops.run(this.loop, task);
	}

}
