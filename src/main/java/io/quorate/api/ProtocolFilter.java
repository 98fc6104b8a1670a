package io.quorate.api;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Function;

import io.quorate.api.problem.ProblemException;
import io.quorate.api.request.ClientRequest;
import io.quorate.api.request.Problems;
import io.quorate.api.request.Protocol;
import io.quorate.api.transport.ClientCertificate;
import io.quorate.api.transport.ConnectionLoop;
import io.quorate.api.transport.Flaw;
import io.quorate.api.watch.RequestObserver;
import io.quorate.clock.BootTime;
import io.quorate.operations.AdminPath;
import io.quorate.security.access.Caller;
import io.quorate.security.access.Command;
import io.quorate.security.access.Credentials;
import io.quorate.security.access.DeniedException;
import io.quorate.security.access.Gate;
import io.quorate.security.access.Right;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * The filter of every request. One that is ambiguous or may be of a web page is refused
 * on any path, and so is one whose sender has not the right to the path; under
 * {@code /v0} a request is watched from here on, and no proxy or browser may keep its
 * answer or guess its type.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
final class ProtocolFilter implements WebFilter {

	private final RequestObserver watch;

	private final AdminPath adminPath;

	private final Gate gate;

	private final PathRights rights;

	private final Problems problems;

	private final PlainTokens plainTokens = new PlainTokens(BootTime::nanos);

	ProtocolFilter(RequestObserver watch, AdminPath adminPath, Gate gate, PathRights rights, Problems problems) {
		this.watch = watch;
		this.adminPath = adminPath;
		this.gate = gate;
		this.rights = rights;
		this.problems = problems;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		Flaw flaw = Flaw.of(exchange.getRequest());
		boolean isEndpoint = this.adminPath.contains(exchange);
		boolean isProtocol = !isEndpoint && Protocol.contains(exchange.getRequest().getPath().value());
		ClientRequest request = isProtocol ? this.watch.begin(exchange) : null;
		if (flaw != null) {
			return this.problems.handle(exchange, new ProblemException(flaw.problem()));
		}
		Right right = this.rights.of(exchange);
		// Other paths that require this right lead nowhere, and may have a key by
		// mistake.
		boolean isCommand = isEndpoint && right == Right.ADMIN;
		Function<Caller, Mono<Void>> next = (request != null) ? (caller) -> ofProtocol(exchange, chain, request, caller)
				: isCommand ? (caller) -> command(exchange, chain, caller) : (caller) -> other(exchange, chain, caller);
		try {
			Credentials sent = credentials(exchange.getRequest(), isCommand);
			Caller caller = this.gate.enter(sent, right);
			return (caller != null) ? next.apply(caller) : checked(exchange, sent, right, next);
		}
		catch (DeniedException denied) {
			// Cheaper than an error that passes all operators: refusals may come in
			// floods.
			return this.problems.handle(exchange, denied);
		}
	}

	/* The request goes on where it came from. */
	private Mono<Void> checked(ServerWebExchange exchange, Credentials sent, Right right,
			Function<Caller, Mono<Void>> next) {
		return Mono.fromFuture(() -> this.gate.check(sent, right), true)
			.publishOn(ConnectionLoop.of(exchange.getRequest()))
			.doOnCancel(() -> {
				ClientRequest request = ClientRequest.find(exchange);
				if (request != null) {
					request.cancelled();
				}
			})
			.flatMap(next);
	}

	private Credentials credentials(ServerHttpRequest request, boolean isCommand) {
		InetSocketAddress remote = request.getRemoteAddress();
		List<String> authorization = request.getHeaders().getOrEmpty(HttpHeaders.AUTHORIZATION);
		if (!authorization.isEmpty()) {
			this.plainTokens.sent(request);
		}
		List<String> names = authorization.isEmpty() ? ClientCertificate.names(request) : List.of();
		Command command = isCommand ? new Command(request.getMethod().name(), request.getPath().value()) : null;
		return new Credentials(authorization, names, (remote != null) ? remote.getHostString() : null, command);
	}

	private static Mono<Void> ofProtocol(ServerWebExchange exchange, WebFilterChain chain, ClientRequest request,
			Caller caller) {
		request.sentBy(caller);
		Protocol.protect(exchange.getResponse().getHeaders());
		boolean preFlight = CorsUtils.isPreFlightRequest(exchange.getRequest());
		return chain.filter(preFlight ? asAnyOther(exchange) : exchange).doOnCancel(request::cancelled);
	}

	private static Mono<Void> other(ServerWebExchange exchange, WebFilterChain chain, Caller caller) {
		exchange.getResponse().beforeCommit(() -> {
			caller.served();
			return Mono.empty();
		});
		return chain.filter(exchange);
	}

	private static Mono<Void> command(ServerWebExchange exchange, WebFilterChain chain, Caller caller) {
		ServerHttpResponse response = exchange.getResponse();
		response.beforeCommit(() -> {
			HttpStatusCode status = response.getStatusCode();
			caller.served();
			caller.administered((status != null) ? status.value() : HttpStatus.OK.value());
			return Mono.empty();
		});
		return chain.filter(exchange).doOnCancel(() -> {
			if (!response.isCommitted()) {
				caller.administered(0);
			}
		});
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

}
