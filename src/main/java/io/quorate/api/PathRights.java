package io.quorate.api;

import io.quorate.api.entity.ConsistencyController;
import io.quorate.api.page.Pages;
import io.quorate.api.page.StartPage;
import io.quorate.api.request.Protocol;
import io.quorate.api.transport.EntityPath;
import io.quorate.operations.AdminPath;
import io.quorate.security.access.Right;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;

/**
 * The right that each path requires. A path has one spelling when it comes here, and one
 * that is not listed requires the right of administrators: a new path is closed until it
 * is listed.
 */
@Component
final class PathRights {

	private final AdminPath adminPath;

	PathRights(AdminPath adminPath) {
		this.adminPath = adminPath;
	}

	/** The right that a request requires before its handler looks at it. */
	Right of(ServerWebExchange exchange) {
		String endpoint = this.adminPath.endpoint(exchange);
		String method = exchange.getRequest().getMethod().name();
		return (endpoint != null) ? ofEndpoint(endpoint, isReading(method))
				: ofPath(exchange.getRequest().getPath().value());
	}

	private static boolean isReading(String method) {
		return method.equals("GET") || method.equals("HEAD");
	}

	private static Right ofEndpoint(String endpoint, boolean isReading) {
		return switch (endpoint) {
			case "health/liveness", "health/readiness" -> Right.NONE;
			case "prometheus", "info", "health", "cluster" -> isReading ? Right.METRICS : Right.ADMIN;
			default -> Right.ADMIN;
		};
	}

	private static Right ofPath(String path) {
		return switch (path) {
			case "/livez", "/readyz", Pages.OPENAPI, Pages.DOCS -> Right.NONE;
			case StartPage.PATH, ProtocolRouter.STATUS -> Right.KNOWN;
			case Protocol.RANGE, Protocol.WATCH, Protocol.BATCH -> Right.DATA;
			case ConsistencyController.PATH -> Right.METRICS;
			default -> ofLongerPath(path);
		};
	}

	private static Right ofLongerPath(String path) {
		if (EntityPath.matches(path)) {
			return Right.DATA;
		}
		return path.startsWith(Pages.DOCS + "/") ? Right.NONE : Right.ADMIN;
	}

}
