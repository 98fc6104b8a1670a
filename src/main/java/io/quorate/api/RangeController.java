package io.quorate.api;

import io.quorate.api.problem.ProblemException;
import io.quorate.api.transport.AnswerOnEventLoop;
import io.quorate.api.transport.Arrival;
import io.quorate.coordinator.Admission;
import io.quorate.coordinator.RangeScan;
import io.quorate.coordinator.ScanRequest;
import io.quorate.security.access.Caller.ReadableRange;
import io.quorate.security.access.Caller;
import reactor.core.publisher.Mono;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebHandler;

/**
 * The handler of ranges: {@code GET /v0/entities?start=<ID>[&end=<ID>]},
 * {@code GET /v0/entities?prefix=<ID>} and, for the rest of a range,
 * {@code GET /v0/entities?cursor=<cursor>}.
 */
@Component
final class RangeController implements WebHandler {

	static final String PATH = "/v0/entities";

	private final AuthorizedCoordinator coordinator;

	private final Shares shares;

	private final Outflows outflows;

	private final RequestTimeout timeout;

	private final RequestMetrics metrics;

	RangeController(AuthorizedCoordinator coordinator, Shares shares, Outflows outflows, RequestTimeout timeout,
			RequestMetrics metrics) {
		this.coordinator = coordinator;
		this.shares = shares;
		this.outflows = outflows;
		this.timeout = timeout;
		this.metrics = metrics;
	}

	@Override
	public Mono<Void> handle(ServerWebExchange exchange) {
		ServerHttpRequest request = exchange.getRequest();
		if (!HttpMethod.GET.equals(request.getMethod())) {
			throw Problems.methodNotAllowed(request.getMethod(), "GET");
		}
		int replicationFactor = this.coordinator.replicationFactor();
		RangeRequest range = RangeRequest.of(request, replicationFactor, this.timeout);
		ClientRequest client = ClientRequest.of(exchange);
		Caller caller = client.caller();
		ReadableRange readable = caller.reading(range.range());
		this.shares.of(caller.principal()).deadline(range.timeout(), Arrival.of(request).waitedNanos());
		AcceptedFormat accepted = AcceptedFormat.of(request.getHeaders(), range.isKeysOnly());
		RecordFormat format = accepted.format();
		if (format == RecordFormat.CHUNKS && !AnswerOnEventLoop.knowsChunks(request)) {
			throw ProblemException.badRequest("records in chunks need HTTP/1.1: accept application/x-ndjson");
		}
		ServerHttpResponse response = exchange.getResponse();
		response.getHeaders().setContentType(accepted.mediaType());
		response.getHeaders().add(HttpHeaders.VARY, HttpHeaders.ACCEPT);
		client.concerns(range.range().start(), range.consistency().at(replicationFactor));
		return range.range().isEmpty() ? nothing(format, response) : scan(readable, range, format, exchange);
	}

	private static Mono<Void> nothing(RecordFormat format, ServerHttpResponse response) {
		return response.writeWith(Mono.fromSupplier(() -> format.writeEnd(0, null, response.bufferFactory())));
	}

	private Mono<Void> scan(ReadableRange readable, RangeRequest range, RecordFormat format,
			ServerWebExchange exchange) {
		ClientRequest client = ClientRequest.of(exchange);
		ServerHttpResponse response = exchange.getResponse();
		Caller caller = client.caller();
		Admission own = this.shares.of(caller.principal());
		return AdmittedWork.run(own, 0, (permit) -> {
			permit.awaitClient();
			return this.outflows.with(response, (outflow) -> Mono.using(
					() -> new RevocableScan(
							this.coordinator.scan(readable,
									(keys) -> new ScanRequest(keys, range.isKeysOnly(), RangeAnswer.mostRows(range),
											range.consistency(), range.timeout(), permit, client.timeline())),
							range.range(), caller),
					(scan) -> new RangeAnswer(scan, range, format, outflow, this.metrics).send(response),
					RangeScan::close));
		});
	}

}
