package io.quorate.api;

import io.quorate.coordinator.Admission;
import io.quorate.coordinator.Coordinator;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpMethod;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;

/**
 * Ranges: {@code GET /v0/entities?start=<ID>[&end=<ID>]} and
 * {@code GET /v0/entities?prefix=<ID>}. Unknown parameters are ignored.
 */
@RestController
final class RangeController {

	/* What a page is at most, unless a single record is larger. */
	private static final int PAGE_BYTES = 256 * 1024;

	private final Coordinator coordinator;

	private final Admission admission;

	private final Outflows outflows;

	private final RequestTimeout timeout;

	RangeController(Coordinator coordinator, Admission admission, Outflows outflows, RequestTimeout timeout) {
		this.coordinator = coordinator;
		this.admission = admission;
		this.outflows = outflows;
		this.timeout = timeout;
	}

	@RequestMapping("/v0/entities")
	Mono<Void> handle(ServerWebExchange exchange) {
		ServerHttpRequest request = exchange.getRequest();
		if (!HttpMethod.GET.equals(request.getMethod())) {
			throw Problems.methodNotAllowed(request.getMethod(), "GET");
		}
		RangeRequest range = RangeRequest.of(request, this.coordinator.replicationFactor(), this.timeout);
		RecordFormat format = RecordFormat.of(request.getHeaders());
		ServerHttpResponse response = exchange.getResponse();
		response.getHeaders().setContentType(format.mediaType());
		return range.isEmpty() ? response.setComplete() : scan(range, format, response);
	}

	/* Spring would answer OPTIONS itself, with 200. */
	@RequestMapping(path = "/v0/entities", method = RequestMethod.OPTIONS)
	Mono<Void> options(ServerWebExchange exchange) {
		return handle(exchange);
	}

	private Mono<Void> scan(RangeRequest range, RecordFormat format, ServerHttpResponse response) {
		return Admitted.run(this.admission, PAGE_BYTES, (permit) -> this.outflows.with(response, (outflow) -> {
			RangeAnswer answer = new RangeAnswer(this.coordinator.scan(range.start(), range.end(), range.limit(),
					range.consistency(), range.timeout()), format, permit, PAGE_BYTES, outflow);
			return response.writeWith(answer.records(response.bufferFactory()));
		}));
	}

}
