package io.quorate.internode.frame;

import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.quorate.internode.wire.Wire;
import io.rsocket.DuplexConnection;
import io.rsocket.transport.ClientTransport;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/**
 * The transport of RSocket over TCP, as its specification frames it, by
 * {@link FrameConnection}.
 */
public final class FrameTransport {

	private FrameTransport() {
	}

	/**
	 * A transport that makes a new connection to a peer each time.
	 * @param ended receives the reason when an open connection is closed
	 */
	public static ClientTransport connecting(TcpClient client, Consumer<String> ended) {
		TcpClient framed = client.doOnConnected(
				(connection) -> connection.addHandlerLast(new FrameDecoder(() -> Wire.MAX_FRAME_BYTES, ended)));
		return new ClientTransport() {

			@Override
			public Mono<DuplexConnection> connect() {
				return framed.connect().map(FrameConnection::new);
			}

			@Override
			public int maxFrameLength() {
				return Wire.MAX_FRAME_BYTES;
			}

		};
	}

	/**
	 * Listens for connections of peers.
	 * @param accept receives each connection, on the connection's event loop
	 */
	public static Mono<Port> listening(TcpServer server, BiConsumer<Connection, PendingConnection> accept) {
		return server.doOnConnection((connection) -> {
			PendingConnection pendingConnection = PendingConnection.of(connection.channel());
			connection.addHandlerLast(new FrameDecoder(pendingConnection::maxFrameBytes, pendingConnection::refuse));
			accept.accept(connection, pendingConnection);
		}).bind().map(Port::new);
	}

}
