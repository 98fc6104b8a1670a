package io.quorate.api;

import java.util.Map;

import io.quorate.operations.AdminPath;
import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.stereotype.Component;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;
import org.springframework.web.server.ServerWebExchange;

/**
 * Who answers under the paths of the protocol: found before anything else is looked for,
 * and only where clients connect. The server of the endpoints, when it is one of its own,
 * finds this mapping too.
 */
@Component
final class ProtocolPaths extends SimpleUrlHandlerMapping {

	private final AdminPath adminPath;

	ProtocolPaths(EntityController entities, RangeController ranges, AdminPath adminPath) {
		super(Map.of(EntityController.PATH, entities, RangeController.PATH, ranges), Ordered.HIGHEST_PRECEDENCE);
		this.adminPath = adminPath;
	}

	@Override
	public Mono<Object> getHandlerInternal(ServerWebExchange exchange) {
		return this.adminPath.contains(exchange) ? Mono.empty() : super.getHandlerInternal(exchange);
	}

}
