package io.quorate.internode;

import io.rsocket.DuplexConnection;
import io.rsocket.transport.ClientTransport;
import io.rsocket.transport.ServerTransport;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/** RSocket over TCP, as its specification frames it, by {@link FrameConnection}. */
final class FrameTransport {

	private FrameTransport() {
	}

	/** Connects to a peer, each time anew. */
	static ClientTransport connecting(TcpClient client) {
		TcpClient framed = client.doOnConnected(FrameTransport::frame);
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

	/** Listens for peers. */
	static ServerTransport<Port> listening(TcpServer server) {
		return new ServerTransport<>() {

			@Override
			public Mono<Port> start(ConnectionAcceptor acceptor) {
				return server.doOnConnection((connection) -> {
					frame(connection);
					acceptor.apply(new FrameConnection(connection))
						.then(Mono.<Void>never())
						.subscribe(connection.disposeSubscriber());
				}).bind().map(Port::new);
			}

			@Override
			public int maxFrameLength() {
				return Wire.MAX_FRAME_BYTES;
			}

		};
	}

	private static void frame(Connection connection) {
		connection.addHandlerLast(new FrameDecoder());
	}

}
