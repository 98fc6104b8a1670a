package io.quorate.api;

import java.util.Set;

import io.quorate.api.entity.ConsistencyController;
import io.quorate.api.page.Pages;
import io.quorate.api.request.RawQuery;
import io.quorate.operations.AdminPath;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import org.springframework.web.server.WebHandler;
import reactor.core.publisher.Mono;

/**
 * Routes the paths of the protocol, and of the pages for people, to their handlers: by
 * comparing some strings, before Spring looks for a handler through all of its mappings,
 * and only on the port of clients. Requests to the endpoints' own server, if there is
 * one, come here too. Below {@code /actuator} parameters are those of Spring Boot, which
 * ignores unknown ones, as the probes of others expect.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 1)
final class ProtocolRouter implements WebFilter {

	/* Its handler is below this room. */
	static final String STATUS = "/v0/status";

	private final DataHandlers data;

	private final ConsistencyController consistency;

	private final Pages pages;

	private final AdminPath adminPath;

	ProtocolRouter(DataHandlers data, ConsistencyController consistency, Pages pages, AdminPath adminPath) {
		this.data = data;
		this.consistency = consistency;
		this.pages = pages;
		this.adminPath = adminPath;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		String path = exchange.getRequest().getPath().value();
		WebHandler handler = handler(path);
		if (path.equals(STATUS) && !this.adminPath.contains(exchange)) {
			RawQuery.of(exchange.getRequest()).knowing(Set.of());
		}
		return (handler == null || this.adminPath.contains(exchange)) ? chain.filter(exchange)
				: handler.handle(exchange);
	}

	private @Nullable WebHandler handler(String path) {
		if (path.equals(ConsistencyController.PATH)) {
			return this.consistency;
		}
		WebHandler ofData = this.data.at(path);
		return (ofData != null) ? ofData : this.pages.at(path);
	}

}
