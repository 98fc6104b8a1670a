package io.quorate.operations;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContext;
import org.springframework.web.server.ServerWebExchange;

/**
 * The place of the endpoints for operators: under a path, or on a port of their own.
 * Their errors are Spring Boot's and no problem documents of ours.
 *
 * @param root common path of the endpoints beside the protocol of clients, without a
 * slash at its end; empty if they share the root with everything else, or are not there
 */
public record AdminPath(String root) {

	/** No endpoints on the port of clients. */
	static final AdminPath NONE = new AdminPath("");

	/* Spring Boot's name of the server that the endpoints have to themselves. */
	private static final String OWN_SERVER = "management";

	/** Whether a request is for the endpoints, on either port. */
	public boolean contains(ServerWebExchange exchange) {
		return isOwnServer(exchange.getApplicationContext()) || contains(exchange.getRequest().getPath().value());
	}

	private static boolean isOwnServer(@Nullable ApplicationContext context) {
		return WebServerApplicationContext.hasServerNamespace(context, OWN_SERVER);
	}

	private boolean contains(String path) {
		return !this.root.isEmpty() && (path.equals(this.root) || path.startsWith(this.root + "/"));
	}

}
