package io.quorate.internode.peer;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.quorate.internode.context.PeerContext;
import io.quorate.internode.frame.EventLoops;
import io.quorate.internode.tls.Dialing;
import io.quorate.internode.wire.Handshake;
import io.quorate.internode.wire.Reply;
import io.quorate.internode.wire.Request;
import io.quorate.replica.Failure.Reason;
import io.quorate.replica.Failure;
import org.jspecify.annotations.Nullable;

/**
 * A channel to a peer on one event loop, with one connection at a time. It connects, and
 * connects anew whenever the connection has ended, after pauses that grow up to a bound
 * and vary, so that not all nodes try at once.
 */
final class PeerChannel implements PeerConnection.Listener {

	/** A listener to one channel. Called on the channel's event loop. */
	interface Listener {

		/** The channel has become connected or disconnected, suspect or not. */
		void laneChanged();

		void greeted(Handshake theirs);

		void mismatch(String mismatch, boolean mayPass);

		void ended(String why);

		/** An attempt to connect has ended without a connection. */
		void notConnected();

		/** Nothing is heard on the channel for large values. */
		void largeLaneSilent();

		void pong(Reply.Pong pong, RoundTrip roundTrip);

		/**
		 * Whether no other connection is to be made until {@link #open} is called again.
		 */
		boolean isToWait();

		/** Whether a plain connection can be replaced by an encrypted one. */
		boolean hasBecomeEncrypted();

	}

	/** Why the connections end when this node closes them. */
	static final String CLOSED = "this node closes its connections";

	private static final long FIRST_PAUSE_MILLIS = 25;

	private final EventLoop loop;

	private final boolean forLarge;

	private final String peer;

	private final PeerContext context;

	private final Dialing dialing;

	private final Listener listener;

	private volatile @Nullable PeerConnection ready;

	private @Nullable PeerConnection current;

	private long nextPauseMillis = FIRST_PAUSE_MILLIS;

	private @Nullable ScheduledFuture<?> attempt;

	private boolean closed;

	/**
	 * A channel without a connection yet.
	 * @param forLarge whether it is for large values only
	 * @param dialing connects on the event loop
	 */
	PeerChannel(EventLoop loop, boolean forLarge, String peer, PeerContext context, Dialing dialing,
			Listener listener) {
		this.loop = loop;
		this.forLarge = forLarge;
		this.peer = peer;
		this.context = context;
		this.dialing = dialing;
		this.listener = listener;
	}

	EventLoop loop() {
		return this.loop;
	}

	boolean isReady() {
		return this.ready != null;
	}

	boolean isReady(boolean encrypted) {
		PeerConnection connection = this.ready;
		return connection != null && connection.isEncrypted() == encrypted;
	}

	boolean isSuspect() {
		PeerConnection connection = this.ready;
		return connection != null && connection.isSuspect();
	}

	void open() {
		EventLoops.run(this.loop, this::connect);
	}

	private void connect() {
		if (!this.closed && this.current == null) {
			this.current = new PeerConnection(this.loop, this.peer, this.context, !this.forLarge, this);
			this.current.open(this.dialing.next());
		}
	}

	/** Makes the next attempt to connect now, because the peer is up. */
	void hurry() {
		EventLoops.run(this.loop, () -> {
			if (this.attempt != null && this.attempt.cancel(false)) {
				this.nextPauseMillis = FIRST_PAUSE_MILLIS;
				connect();
			}
		});
	}

	/** Sends the peer a keep-alive if it has been silent; on the event loop. */
	void probe() {
		PeerConnection connection = this.ready;
		if (connection != null) {
			connection.probe();
		}
	}

	/** Sends a request of this node's own, to which no limit applies. */
	void ask(Request request, Duration limit, Consumer<Reply> outcome) {
		boolean runs = EventLoops.run(this.loop, () -> {
			PeerConnection connection = this.ready;
			if (connection != null) {
				connection.ask(request, limit, outcome);
			}
			else {
				outcome.accept(disconnected());
			}
		});
		if (!runs) {
			outcome.accept(disconnected());
		}
	}

	private Reply disconnected() {
		return new Reply.Failed(new Failure(Reason.DISCONNECTED, "no connection to " + this.peer));
	}

	/** Sends a request, at once when called on the channel's event loop. */
	void send(InFlightRequest inFlightRequest) {
		if (!EventLoops.run(this.loop, () -> sendHere(inFlightRequest))) {
			inFlightRequest.refuse(Reason.DISCONNECTED, "this node stops");
		}
	}

	private void sendHere(InFlightRequest inFlightRequest) {
		PeerConnection connection = this.ready;
		if (connection != null) {
			connection.send(inFlightRequest);
		}
		else {
			inFlightRequest.refuse(Reason.DISCONNECTED, "no connection to " + this.peer);
		}
	}

	/** Gives up a request: its caller does not wait for the outcome any more. */
	void abandon(InFlightRequest inFlightRequest) {
		EventLoops.run(this.loop, () -> {
			PeerConnection connection = this.ready;
			if (connection != null) {
				connection.abandon(inFlightRequest);
			}
		});
	}

	@Override
	public void ready(PeerConnection connection, Handshake theirs) {
		this.nextPauseMillis = FIRST_PAUSE_MILLIS;
		this.listener.greeted(theirs);
		this.ready = connection;
		this.listener.laneChanged();
	}

	@Override
	public void mismatch(String mismatch, boolean mayPass) {
		this.listener.mismatch(mismatch, mayPass);
	}

	@Override
	public void suspicionChanged() {
		this.listener.laneChanged();
	}

	@Override
	public void silent() {
		this.listener.largeLaneSilent();
	}

	@Override
	public void pong(Reply.Pong pong, RoundTrip roundTrip) {
		if (!this.forLarge) {
			this.listener.pong(pong, roundTrip);
		}
		PeerConnection connection = this.ready;
		if (connection != null && !connection.isEncrypted() && this.listener.hasBecomeEncrypted()) {
			this.loop.execute(connection::endIfIdle);
		}
	}

	@Override
	public void ended(PeerConnection connection, String why) {
		this.current = null;
		this.listener.ended(why);
		if (this.ready == connection) {
			this.ready = null;
			this.listener.laneChanged();
		}
		else if (!this.closed) {
			this.listener.notConnected();
		}
		this.attempt = null;
		if (!this.closed && !this.listener.isToWait()) {
			long pause = this.nextPauseMillis;
			this.nextPauseMillis = Math.min(2 * pause, this.context.properties().maxBackoff().toMillis());
			long jittered = ThreadLocalRandom.current().nextLong(pause / 2, pause + pause / 2 + 1);
			this.attempt = this.loop.schedule(this::connect, jittered, TimeUnit.MILLISECONDS);
		}
	}

	/** Ends the connection, so that another is made. */
	void renew(String why) {
		EventLoops.run(this.loop, () -> {
			if (this.current != null) {
				this.current.end(why);
			}
		});
	}

	/** Makes no other connection when the present one has ended. */
	void retire() {
		EventLoops.run(this.loop, () -> this.closed = true);
	}

	void close() {
		EventLoops.run(this.loop, () -> {
			this.closed = true;
			if (this.current != null) {
				this.current.end(CLOSED);
			}
		});
	}

}
