package io.quorate.api;

import io.quorate.api.problem.ProblemException;
import io.quorate.api.transport.Flaw;
import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

/**
 * What holds for every request: a target that nobody can read is 400 on any path, and no
 * proxy or browser may keep an answer under {@code /v0} or guess its type.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
final class EveryRequest implements WebFilter {

	private static final String PROTOCOL_ROOT = "/v0";

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		if (exchange.getRequest().getPath().value().startsWith(PROTOCOL_ROOT)) {
			protect(exchange.getResponse().getHeaders());
		}
		String flaw = Flaw.of(exchange.getRequest());
		return (flaw != null) ? Mono.error(ProblemException.badRequest(flaw)) : chain.filter(exchange);
	}

	/** Lets nobody keep an answer or guess its type. */
	static void protect(HttpHeaders headers) {
		headers.setCacheControl(CacheControl.noStore());
		headers.set("X-Content-Type-Options", "nosniff");
	}

}
