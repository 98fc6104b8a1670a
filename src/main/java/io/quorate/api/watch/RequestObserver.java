package io.quorate.api.watch;

import io.quorate.api.request.ClientRequest;
import io.quorate.api.request.Operation;
import io.quorate.api.request.Outcome;
import io.quorate.api.watch.Traces.Trace;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Sees every request under {@code /v0} begin and end. Works on event loops. */
@Component
public final class RequestObserver {

	private final RequestMetrics metrics;

	private final SlowRequests slow;

	private final Traces traces;

	RequestObserver(RequestMetrics metrics, SlowRequests slow, Traces traces) {
		this.metrics = metrics;
		this.slow = slow;
		this.traces = traces;
	}

	/** Begins a request; the caller notifies the returned object if its client leaves. */
	public ClientRequest begin(ServerWebExchange exchange) {
		ServerHttpRequest request = exchange.getRequest();
		Operation operation = Operation.of(request.getMethod().name(), request.getPath().value());
		Trace trace = this.traces.begin(request, operation);
		ClientRequest begun = begin(operation, trace).attachedTo(exchange);
		ServerHttpResponse response = exchange.getResponse();
		response.beforeCommit(() -> {
			answered(begun, trace, response);
			return Mono.empty();
		});
		return begun;
	}

	/**
	 * Begins a request without an exchange.
	 * @param operation its operation, {@code null} for one that is not measured
	 * @param trace the trace that it belongs to, {@code null} if there is none
	 */
	public ClientRequest begin(@Nullable Operation operation, @Nullable Trace trace) {
		return new ClientRequest(operation, (trace != null) ? trace.place() : null, new Observation(trace));
	}

	private static void answered(ClientRequest request, @Nullable Trace trace, ServerHttpResponse response) {
		HttpStatusCode status = response.getStatusCode();
		request.answered((status != null) ? status.value() : 200);
		HttpHeaders headers = response.getHeaders();
		headers.set(ServerTiming.HEADER, ServerTiming.of(request.timeline()));
		if (trace != null) {
			headers.set(TraceParent.HEADER, trace.parent().text());
		}
	}

	/** The observation of one request. */
	private final class Observation implements ClientRequest.Listener {

		private final @Nullable Trace trace;

		private Observation(@Nullable Trace trace) {
			this.trace = trace;
		}

		@Override
		public void valueCame(int sizeBytes) {
			RequestObserver.this.metrics.valueCame(sizeBytes);
		}

		@Override
		public void valueGoes(int sizeBytes) {
			RequestObserver.this.metrics.valueGoes(sizeBytes);
		}

		@Override
		public void ended(ClientRequest request, Outcome outcome) {
			if (this.trace != null) {
				this.trace.ended(request, outcome);
			}
			Operation operation = request.operation();
			if (operation != null) {
				RequestObserver.this.metrics.ended(operation, outcome, request.timeline().totalNanos());
				logIfSlow(operation, request, outcome);
			}
		}

		private void logIfSlow(Operation operation, ClientRequest request, Outcome outcome) {
			SlowRequests slowRequests = RequestObserver.this.slow;
			if (slowRequests.isSlow(request)) {
				RequestObserver.this.metrics.wasSlow(operation);
				slowRequests.log(operation, request, outcome, this.trace);
			}
		}

	}

}
