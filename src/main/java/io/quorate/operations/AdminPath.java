package io.quorate.operations;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContext;
import org.springframework.web.server.ServerWebExchange;

/**
 * Where the endpoints for operators lie, whose errors are Spring Boot's and no problem
 * documents of ours: under a path, or on a port of their own.
 *
 * @param root path of them all beside the protocol of clients, without a slash at its
 * end; empty when they share the root with everything else, or are not there
 */
public record AdminPath(String root) {

	/** They are not where clients connect. */
	static final AdminPath NONE = new AdminPath("");

	/* Spring Boot's name of the server that they have to themselves. */
	private static final String OWN_SERVER = "management";

	/** Whether a request is for them, on whichever port it came. */
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
