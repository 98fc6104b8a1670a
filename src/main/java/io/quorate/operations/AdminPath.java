package io.quorate.operations;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContext;
import org.springframework.web.server.ServerWebExchange;

/**
 * The place of the endpoints for operators: under a path, on the port of clients or on
 * one of their own. Their errors are Spring Boot's and no problem documents of ours.
 *
 * @param root common path of the endpoints, without a slash at its end; empty if they
 * share the root with everything else
 * @param isShared whether they are on the port of clients
 */
public record AdminPath(String root, boolean isShared) {

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
		return this.isShared && !this.root.isEmpty() && (path.equals(this.root) || path.startsWith(this.root + "/"));
	}

	/**
	 * The path of an endpoint below the common path, such as {@code health/readiness}, or
	 * {@code null} if a request is for no endpoint.
	 */
	public @Nullable String endpoint(ServerWebExchange exchange) {
		if (!contains(exchange)) {
			return null;
		}
		String path = exchange.getRequest().getPath().value();
		String below = path.startsWith(this.root + "/") ? path.substring(this.root.length() + 1) : "";
		return below.endsWith("/") ? below.substring(0, below.length() - 1) : below;
	}

}
