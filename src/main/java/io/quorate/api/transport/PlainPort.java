package io.quorate.api.transport;

import java.util.function.IntFunction;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.web.server.WebServer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * The port for HTTP without TLS, if there is one: for clients that are moved to HTTPS one
 * after the other. It starts after the port with TLS, and stops with it.
 */
final class PlainPort implements SmartLifecycle {

	private static final Logger log = LoggerFactory.getLogger(PlainPort.class);

	private final @Nullable Integer port;

	private final IntFunction<WebServer> servers;

	private volatile @Nullable WebServer server;

	/**
	 * A port that is not open yet.
	 * @param port number of the port, {@code null} for none
	 * @param servers makes the server
	 */
	PlainPort(@Nullable Integer port, IntFunction<WebServer> servers) {
		this.port = port;
		this.servers = servers;
	}

	@Override
	public void start() {
		if (this.port != null) {
			WebServer made = this.servers.apply(this.port);
			made.start();
			this.server = made;
			log.warn("Clients are served without TLS, too, at port {} (quorate.api.plain-port)", made.getPort());
		}
	}

	@Override
	public void stop() {
		WebServer open = this.server;
		if (open != null) {
			this.server = null;
			open.stop();
		}
	}

	/** Requests under way end first, as on the other port. */
	@Override
	public void stop(Runnable stopped) {
		WebServer open = this.server;
		if (open == null) {
			stopped.run();
			return;
		}
		open.shutDownGracefully((_) -> {
			stop();
			stopped.run();
		});
	}

	@Override
	public boolean isRunning() {
		return this.server != null;
	}

	/** Number of the port; -1 while it is not open. */
	int port() {
		WebServer open = this.server;
		return (open != null) ? open.getPort() : -1;
	}

	@Override
	public int getPhase() {
		return WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE;
	}

}
