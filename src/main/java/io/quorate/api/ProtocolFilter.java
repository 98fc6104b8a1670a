package io.quorate.api;

import io.quorate.api.problem.ProblemException;
import io.quorate.api.transport.Flaw;
import io.quorate.operations.AdminPath;
import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

/**
 * The filter of every request. One that is ambiguous or may be of a web page is refused
 * on any path; under {@code /v0} a request is watched from here on, and no proxy or
 * browser may keep its answer or guess its type.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
final class ProtocolFilter implements WebFilter {

	private static final String PROTOCOL_ROOT = "/v0";

	private final RequestObserver watch;

	private final AdminPath adminPath;

	ProtocolFilter(RequestObserver watch, AdminPath adminPath) {
		this.watch = watch;
		this.adminPath = adminPath;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		Flaw flaw = Flaw.of(exchange.getRequest());
		boolean isProtocol = isProtocol(exchange.getRequest().getPath().value());
		if (!isProtocol || this.adminPath.contains(exchange)) {
			return (flaw != null) ? refused(flaw) : chain.filter(exchange);
		}
		ClientRequest request = this.watch.begin(exchange);
		if (flaw != null) {
			return refused(flaw);
		}
		protect(exchange.getResponse().getHeaders());
		boolean preFlight = CorsUtils.isPreFlightRequest(exchange.getRequest());
		return chain.filter(preFlight ? asAnyOther(exchange) : exchange).doOnCancel(request::cancelled);
	}

	/** Whether a path is of the protocol: its root, or one below it. */
	static boolean isProtocol(String path) {
		return path.startsWith(PROTOCOL_ROOT)
				&& (path.length() == PROTOCOL_ROOT.length() || path.charAt(PROTOCOL_ROOT.length()) == '/');
	}

	private static Mono<Void> refused(Flaw flaw) {
		return Mono.error(new ProblemException(flaw.problem()));
	}

	/*
	 * Spring answers a pre-flight request with 200 on its own, though no origin is
	 * allowed anything here: without this field it is an OPTIONS like any other, 405.
	 */
	private static ServerWebExchange asAnyOther(ServerWebExchange exchange) {
		return exchange.mutate()
			.request((request) -> request
				.headers((headers) -> headers.remove(HttpHeaders.ACCESS_CONTROL_REQUEST_METHOD)))
			.build();
	}

	/** Forbids proxies and browsers to keep an answer or guess its type. */
	static void protect(HttpHeaders headers) {
		headers.setCacheControl(CacheControl.noStore());
		headers.set("X-Content-Type-Options", "nosniff");
	}

}
