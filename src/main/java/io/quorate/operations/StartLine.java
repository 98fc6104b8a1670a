package io.quorate.operations;

import java.net.InetAddress;
import java.nio.file.Path;

import io.quorate.membership.layout.Endpoint;
import io.quorate.membership.members.Layouts;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationListener;

/**
 * The line of the log that says, as soon as a node serves, its URL, the clients that it
 * serves, the directory of its data, and its cluster.
 */
final class StartLine implements ApplicationListener<ApplicationReadyEvent> {

	private static final Logger logger = LoggerFactory.getLogger(StartLine.class);

	private final NodeLabel node;

	private final Layouts layouts;

	private final Path directory;

	private final ServerProperties server;

	private final boolean isClosed;

	/**
	 * The line of a node.
	 * @param isClosed whether clients need credentials
	 */
	StartLine(NodeLabel node, Layouts layouts, Path directory, ServerProperties server, boolean isClosed) {
		this.node = node;
		this.layouts = layouts;
		this.directory = directory;
		this.server = server;
		this.isClosed = isClosed;
	}

	@Override
	public void onApplicationEvent(ApplicationReadyEvent event) {
		if (event.getApplicationContext() instanceof WebServerApplicationContext context
				&& context.getWebServer() != null && logger.isInfoEnabled()) {
			logger.info(text(context.getWebServer().getPort()));
		}
	}

	/** The line of a node that listens on a port. */
	String text(int port) {
		return "Serving %s to %s; data in %s; cluster %s, node %s".formatted(url(port), clients(),
				this.directory.toAbsolutePath().normalize(), this.node.cluster(), members());
	}

	private String url(int port) {
		@Nullable Ssl ssl = this.server.getSsl();
		InetAddress address = this.server.getAddress();
		String host = (address != null) ? address.getHostAddress() : "0.0.0.0";
		return "%s://%s:%d".formatted(Ssl.isEnabled(ssl) ? "https" : "http",
				host.contains(":") ? "[" + host + "]" : host, port);
	}

	private String clients() {
		if (this.isClosed) {
			return "clients that the access file names";
		}
		@Nullable Ssl ssl = this.server.getSsl();
		if (ssl != null && Ssl.isEnabled(ssl) && ssl.getClientAuth() == Ssl.ClientAuth.NEED) {
			return "every client with a certificate that server.ssl trusts";
		}
		InetAddress address = this.server.getAddress();
		return (address != null && address.isLoopbackAddress())
				? "every program on this machine, without authentication"
				: "every client that reaches this address, without authentication";
	}

	private String members() {
		String self = this.node.node();
		return this.layouts.isAlone() ? self + ", alone" : self + " of "
				+ String.join(", ", this.layouts.current().endpoints().stream().map(Endpoint::id).toList());
	}

}
