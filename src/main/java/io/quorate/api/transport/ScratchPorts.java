package io.quorate.api.transport;

import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import reactor.netty.DisposableServer;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.HttpResources;
import reactor.netty.http.server.HttpServer;

/**
 * Opens ports for HTTP on loopback, for a warm-up: with the handlers of the port of
 * clients, without TLS, on any free number. They run on the event loops of the node.
 */
public final class ScratchPorts {

	private static final Duration LIMIT = Duration.ofSeconds(5);

	private final Departing departing;

	private final EventLoopWatch watch;

	private final AnswerOnEventLoop answers;

	ScratchPorts(Departing departing, EventLoopWatch watch, AnswerOnEventLoop answers) {
		this.departing = departing;
		this.watch = watch;
		this.answers = answers;
	}

	/** Opens a port, which the caller closes. */
	public Port open(HttpHandler handler, PortTerms terms) {
		InetAddress loopback = InetAddress.getLoopbackAddress();
		Door door = new Door(terms, new AtomicInteger(), loopback, null);
		HttpServer server = HttpServer.create()
			.runOn(HttpResources.get())
			.protocol(HttpProtocol.HTTP11)
			.host(loopback.getHostAddress())
			.port(0);
		DisposableServer bound = new ClientPort(door, null, this.departing, this.watch).apply(server)
			.handle(new ReactorHttpHandlerAdapter(this.answers.apply(handler)))
			.bindNow(LIMIT);
		return new Port(bound);
	}

	/** A port that is open until it is closed. */
	public static final class Port implements AutoCloseable {

		private final DisposableServer server;

		private Port(DisposableServer server) {
			this.server = server;
		}

		/** The number of the port. */
		public int number() {
			return this.server.port();
		}

		@Override
		public void close() {
			this.server.disposeNow(LIMIT);
		}

	}

}
