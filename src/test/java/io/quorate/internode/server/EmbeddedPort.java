package io.quorate.internode.server;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.Ticker;
import io.quorate.internode.InternodeMeters;
import io.quorate.internode.context.PeerContext;
import io.quorate.internode.frame.PendingConnection;
import io.quorate.internode.frame.PendingConnections;
import io.quorate.security.RefusalLog;
import reactor.netty.Connection;

/** The port of a node, to which channels in memory connect. */
public final class EmbeddedPort {

	private static final int MANY = 1000;

	private final PortContext port;

	private final PendingConnections pending;

	private int connections;

	public EmbeddedPort(PeerContext context, ServedReplica replica, HandshakeListener listener) {
		RefusalLog refusals = new RefusalLog(
				InternodeMeters.CONNECTIONS_REFUSED.counter(context.observation().registry()), context.clock()::nanos);
		this.port = new PortContext(context, replica, refusals,
				new PeerQuotas(context.properties(), context.transport().maxMessageBytes()),
				InternodeMeters.EXPIRED.counter(context.observation().registry()), listener);
		this.pending = new PendingConnections(MANY, context.clock()::nanos);
	}

	/** The end of a connection that has just come. */
	public EmbeddedChannel accept(Ticker time) {
		EmbeddedChannel channel = EmbeddedChannel.builder()
			.ticker(time)
			.handlers(new PendingConnection(this.pending, this.port.context().properties().connectTimeout(),
					this.port.refusals()))
			.build();
		this.connections++;
		var _ = new ServedConnection(this.port, Connection.from(channel), (_) -> this.connections--);
		return channel;
	}

	/** Connections that are open. */
	public int connections() {
		return this.connections;
	}

}
