package io.quorate.api;

import io.quorate.api.Traces.Trace;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Sees every request under {@code /v0} begin and end. */
@Component
final class RequestObserver {

	private final RequestMetrics metrics;

	private final SlowRequests slow;

	private final Traces traces;

	RequestObserver(RequestMetrics metrics, SlowRequests slow, Traces traces) {
		this.metrics = metrics;
		this.slow = slow;
		this.traces = traces;
	}

	/** Begins a request; the caller notifies the returned object if its client leaves. */
	ClientRequest begin(ServerWebExchange exchange) {
		ServerHttpRequest request = exchange.getRequest();
		Operation operation = Operation.of(request.getMethod().name(), request.getPath().value());
		ClientRequest begun = new ClientRequest(operation, this, this.traces.begin(request, operation))
			.attachedTo(exchange);
		ServerHttpResponse response = exchange.getResponse();
		response.beforeCommit(() -> {
			answered(begun, response);
			return Mono.empty();
		});
		return begun;
	}

	private static void answered(ClientRequest request, ServerHttpResponse response) {
		HttpStatusCode status = response.getStatusCode();
		request.answered((status != null) ? status.value() : 200);
		HttpHeaders headers = response.getHeaders();
		headers.set(ServerTiming.HEADER, ServerTiming.of(request.timeline()));
		Trace trace = request.trace();
		if (trace != null) {
			headers.set(TraceParent.HEADER, trace.parent().text());
		}
	}

	void ended(ClientRequest request, Outcome outcome) {
		Trace trace = request.trace();
		if (trace != null) {
			trace.ended(request, outcome);
		}
		Operation operation = request.operation();
		if (operation != null) {
			this.metrics.ended(operation, outcome, request.timeline().totalNanos());
			if (this.slow.isSlow(request)) {
				this.metrics.wasSlow(operation);
				this.slow.log(operation, request, outcome);
			}
		}
	}

	RequestMetrics metrics() {
		return this.metrics;
	}

}
