package io.quorate.internode;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.quorate.clock.Deadline;
import io.quorate.replica.Failure;
import io.quorate.replica.Failure.Reason;
import io.rsocket.DuplexConnection;
import io.rsocket.RSocket;
import io.rsocket.core.RSocketConnector;
import io.rsocket.frame.decoder.PayloadDecoder;
import io.rsocket.plugins.DuplexConnectionInterceptor;
import io.rsocket.transport.ClientTransport;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * One connection to a peer, from the attempt to connect to its end, which comes once.
 * Belongs to its event loop; signals from other threads are brought there.
 */
final class PeerConnection implements Exchange.Owner, Pending.Watch {

	/** Who has to know about a connection. Called on its event loop. */
	interface Listener {

		/** Both sides agree to speak to each other. */
		void ready(PeerConnection connection, Greeting theirs);

		/** One of them does not, for a reason that people have to remove. */
		void mismatch(String mismatch);

		void suspicionChanged();

		void pong(long physicalMillis, long roundTripNanos);

		/** It is over. */
		void ended(PeerConnection connection, String why);

	}

	private static final int PARTIAL_MESSAGES = 2;

	/*
	 * RSocket's own signs of life carry no clock, use threads of their own, and take a
	 * loop that stands still for a silent peer: an interval of no millisecond turns them
	 * off at both ends.
	 */
	private static final Duration NO_KEEP_ALIVE = Duration.ofNanos(1);

	/* A sign of life may have large values before it. */
	private static final int PATIENCE = 10;

	private final EventLoop loop;

	private final String peer;

	private final PeerContext context;

	private final boolean judged;

	private final Listener listener;

	private final Pending pending;

	/* Signs of life are small and few, whatever else is in flight. */
	private final Budget unbounded = new Budget(Long.MAX_VALUE);

	private Disposable connecting = Disposables.disposed();

	private @Nullable ScheduledFuture<?> timer;

	private @Nullable DuplexConnection transport;

	private @Nullable RSocket rsocket;

	private @Nullable Exchange ping;

	private volatile boolean suspect;

	private boolean over;

	/**
	 * A connection that is not attempted yet.
	 * @param judged whether silence means something: not where large values hold up the
	 * signs of life
	 */
	PeerConnection(EventLoop loop, String peer, PeerContext context, boolean judged, Listener listener) {
		this.loop = loop;
		this.peer = peer;
		this.context = context;
		this.judged = judged;
		this.listener = listener;
		this.pending = new Pending(loop, this);
	}

	/** Begins; ends by itself when it has not come to an agreement in time. */
	void open(ClientTransport peerTransport) {
		InternodeProperties properties = this.context.properties();
		this.timer = this.loop.schedule(() -> end("no handshake in time"), properties.connectTimeout().toMillis(),
				TimeUnit.MILLISECONDS);
		this.connecting = RSocketConnector.create()
			.fragment(Wire.FRAGMENT_BYTES)
			.maxInboundPayloadSize(this.context.maxMessageBytes())
			.payloadDecoder(PayloadDecoder.ZERO_COPY)
			.keepAlive(NO_KEEP_ALIVE, properties.disconnectAfter())
			.interceptors((registry) -> registry.forConnection(this::intercept))
			.connect(peerTransport)
			.subscribe((socket) -> onLoop(() -> greet(socket)),
					(failure) -> onLoop(() -> end("cannot connect: " + failure.getMessage())));
	}

	private DuplexConnection intercept(DuplexConnectionInterceptor.Type type, DuplexConnection connection) {
		if (type != DuplexConnectionInterceptor.Type.SOURCE) {
			return connection;
		}
		BoundedConnection bounded = new BoundedConnection(connection,
				(long) PARTIAL_MESSAGES * this.context.maxMessageBytes());
		onLoop(() -> {
			this.transport = bounded;
			if (this.over) {
				bounded.dispose();
			}
		});
		Runnable closed = () -> onLoop(() -> end("the connection was closed"));
		bounded.onClose().subscribe(null, (_) -> closed.run(), closed);
		return bounded;
	}

	private void greet(RSocket socket) {
		this.rsocket = socket;
		Greeting ours = this.context.greeting(this.peer);
		ask(new Request.Hello(ours), this.context.properties().connectTimeout(), (reply) -> {
			if (reply instanceof Reply.Welcome(var theirs)) {
				judge(ours, theirs);
			}
			else {
				end("no handshake: " + reply);
			}
		});
	}

	private void judge(Greeting ours, Greeting theirs) {
		String mismatch = Greeting.mismatch(ours, theirs);
		if (mismatch != null) {
			this.listener.mismatch(mismatch);
			end("refused, " + mismatch);
			return;
		}
		cancelTimer();
		long interval = this.context.properties().keepAlive().toMillis();
		this.timer = this.loop.scheduleAtFixedRate(this::ping, interval, interval, TimeUnit.MILLISECONDS);
		this.listener.ready(this, theirs);
	}

	/** Sends a request, or ends it at once. */
	void send(Exchange exchange) {
		if (this.rsocket == null) {
			exchange.refuse(Reason.DISCONNECTED, "the connection is not ready");
			return;
		}
		this.pending.send(exchange, this.rsocket, this);
	}

	void abandon(Exchange exchange) {
		this.pending.abandon(exchange);
	}

	private Exchange ask(Request request, Duration limit, Consumer<Reply> outcome) {
		Deadline deadline = Deadline.after(limit);
		Message message = this.context.encode(request, deadline);
		this.unbounded.tryTake(message.size());
		Exchange exchange = new Exchange(message.toPayload(this.unbounded), deadline, outcome);
		send(exchange);
		return exchange;
	}

	private void ping() {
		if (this.ping == null && !this.over) {
			long sent = System.nanoTime();
			this.ping = ask(new Request.Ping(this.context.clock().physicalMillis()),
					this.context.properties().disconnectAfter().multipliedBy(PATIENCE),
					(reply) -> ponged(reply, System.nanoTime() - sent));
		}
	}

	private void ponged(Reply reply, long roundTripNanos) {
		this.ping = null;
		switch (reply) {
			case Reply.Pong(var physicalMillis) -> this.listener.pong(physicalMillis, roundTripNanos);
			default -> end("no sign of life: " + reply);
		}
	}

	/**
	 * Asks for a sign of life before it suspects, so that a slow disk is not taken for
	 * silence.
	 */
	@Override
	public void silentFor(long nanos) {
		if (!this.judged) {
			return;
		}
		InternodeProperties properties = this.context.properties();
		long limit = properties.suspectAfter().toNanos();
		if (nanos > properties.disconnectAfter().toNanos()) {
			end("silent for %d ms".formatted(properties.disconnectAfter().toMillis()));
		}
		else if (this.ping == null && nanos > limit / 2) {
			ping();
		}
		else if (!this.suspect && nanos > limit && this.ping != null
				&& System.nanoTime() - this.ping.createdNanos() > limit / 2) {
			this.suspect = true;
			this.listener.suspicionChanged();
		}
	}

	boolean isSuspect() {
		return this.suspect;
	}

	@Override
	public void replied(Exchange exchange, Reply.Envelope reply) {
		onLoop(() -> {
			this.context.clock().observe(reply.stamp());
			this.pending.heard(System.nanoTime());
			if (this.suspect) {
				this.suspect = false;
				this.listener.suspicionChanged();
			}
			this.pending.finish(exchange, reply.reply());
		});
	}

	@Override
	public void failed(Exchange exchange, Throwable failure) {
		onLoop(() -> {
			String detail = "the request failed on its way: " + failure.getMessage();
			this.pending.finish(exchange, new Reply.Failed(new Failure(Reason.FAILED, detail)));
			if (failure instanceof MalformedMessageException) {
				end("not understood: " + failure.getMessage());
			}
		});
	}

	/** Ends it: what is under way fails, and the socket is closed without a farewell. */
	void end(String why) {
		if (this.over) {
			return;
		}
		this.over = true;
		this.suspect = false;
		cancelTimer();
		this.connecting.dispose();
		this.listener.ended(this, why);
		this.pending.end(why);
		if (this.transport != null) {
			this.transport.dispose();
		}
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
