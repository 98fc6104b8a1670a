package io.quorate.internode.server;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import io.netty.channel.ChannelOption;
import io.quorate.internode.InternodeMeters;
import io.quorate.internode.InternodeProperties;
import io.quorate.internode.context.PeerContext;
import io.quorate.internode.frame.EventLoops;
import io.quorate.internode.frame.PendingConnection;
import io.quorate.internode.frame.PendingConnections;
import io.quorate.security.RefusalLog;
import org.jspecify.annotations.Nullable;
import reactor.netty.Connection;
import reactor.netty.DisposableServer;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpServer;

/**
 * The port where peers reach this node's replica.
 * <p>
 * Answers every request on the event loop of its connection. A request whose deadline has
 * passed when its turn comes, the time that it waited in queues and sockets included, is
 * dropped, not done.
 */
public final class InternodeServer implements AutoCloseable {

	/* A peer sends keep-alives on every connection; large values may be before them. */
	private static final int PATIENCE = 10;

	/* More only when nodes have more event loops, as a peer connects once for each. */
	private static final int PENDING_OF_ADDRESS = 8;

	private final PeerContext context;

	private final LoopResources loops;

	private final String host;

	private final int port;

	private final RefusalLog refusals;

	private final Set<ServedConnection> connections = ConcurrentHashMap.newKeySet();

	private final PeerQuotas shares;

	private final PendingConnections pendingConnections;

	private final PortContext portContext;

	private volatile @Nullable DisposableServer channel;

	private volatile boolean closed;

	/**
	 * A server, not started yet.
	 * @param listener hears of each peer that has reached this node
	 */
	public InternodeServer(PeerContext context, LoopResources loops, ServedReplica servedReplica, String host, int port,
			HandshakeListener listener) {
		this.context = context;
		this.loops = loops;
		this.host = host;
		this.port = port;
		this.shares = new PeerQuotas(context.properties(), context.transport().maxMessageBytes());
		this.pendingConnections = new PendingConnections(Math.max(PENDING_OF_ADDRESS, EventLoops.of(loops).size() + 1),
				System::nanoTime);
		this.refusals = new RefusalLog(InternodeMeters.CONNECTIONS_REFUSED.counter(context.observation().registry()),
				System::nanoTime);
		this.portContext = new PortContext(context, servedReplica, this.refusals, this.shares,
				InternodeMeters.EXPIRED.counter(context.observation().registry()), listener);
	}

	/** Binds the port; completes when peers can connect, fails when the port is taken. */
	public CompletableFuture<Void> start() {
		InternodeProperties properties = this.context.properties();
		TcpServer server = TcpServer.create()
			.runOn(this.loops)
			.option(ChannelOption.SO_REUSEADDR, true)
			.host(this.host)
			.port(this.port)
			.doOnConnection(this::accept);
		TcpServer guarded = this.context.transport()
			.encryption()
			.apply(server, this.refusals)
			.doOnChannelInit((_, channel, _) -> channel.pipeline()
				.addFirst(new PendingConnection(this.pendingConnections, properties.connectTimeout(), this.refusals)));
		return guarded.bind().toFuture().thenAccept(this::bound);
	}

	private void bound(DisposableServer bound) {
		this.channel = bound;
		if (this.closed) {
			bound.dispose();
		}
	}

	private void accept(Connection connection) {
		ServedConnection served = new ServedConnection(this.portContext, connection, this.connections::remove);
		this.connections.add(served);
		Duration longest = this.context.properties().disconnectAfter().multipliedBy(PATIENCE);
		connection.onReadIdle(longest.toMillis(), () -> served.silentFor(longest));
		if (this.closed || !connection.channel().isActive()) {
			this.connections.remove(served);
			served.close();
		}
	}

	/**
	 * Port on which the server listens.
	 * @throws IllegalStateException when the server has not been started
	 */
	public int port() {
		DisposableServer bound = this.channel;
		if (bound == null) {
			throw new IllegalStateException("the server is not started");
		}
		return bound.port();
	}

	/**
	 * Announces from now on, in handshakes and keep-alives, that this node is about to
	 * stop. The server serves all requests as before.
	 */
	public void announceDeparture() {
		this.context.node().drainState().announce();
	}

	/**
	 * Refuses every request from now on, because this node drains, and announces it in
	 * handshakes and keep-alives.
	 */
	public void drain() {
		this.context.node().drainState().drain();
	}

	/** Closes the connections of a peer that is no member any more. */
	public void dismiss(String peer) {
		this.connections.stream().filter((served) -> served.isOf(peer)).forEach(ServedConnection::dismiss);
	}

	/** Connections that are open. */
	public int connections() {
		return this.connections.size();
	}

	/** Ids of the peers from which a connection without encryption is open. */
	public Set<String> peersInPlain() {
		return this.connections.stream()
			.map(ServedConnection::peerInPlain)
			.filter(Objects::nonNull)
			.collect(Collectors.toUnmodifiableSet());
	}

	/** Requests of peers that have no reply yet. */
	public long requestsInWork() {
		return this.shares.requests();
	}

	/**
	 * Bytes of writes that have no reply yet, and of replies that wait for peers to take
	 * them.
	 */
	public long bytesInFlight() {
		return this.shares.bytes();
	}

	/** Whether no peer waits for anything. */
	public boolean isIdle() {
		return requestsInWork() == 0 && bytesInFlight() == 0;
	}

	/** Closes the port and all connections. Waits for nothing. */
	@Override
	public void close() {
		this.closed = true;
		DisposableServer bound = this.channel;
		if (bound != null) {
			bound.dispose();
		}
		this.connections.forEach(ServedConnection::close);
	}

}
