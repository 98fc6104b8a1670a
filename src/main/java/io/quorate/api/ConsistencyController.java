package io.quorate.api;

import java.util.Set;

import io.quorate.coordinator.ReplicationLatency;
import io.quorate.repair.overview.RepairOverview;
import reactor.core.publisher.Mono;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebHandler;

/**
 * Answers {@code GET /v0/consistency}: the differences between this node and its peers,
 * as far as this node knows them. Peers are not asked, so the answer does not wait for
 * them.
 */
@Component
final class ConsistencyController implements WebHandler {

	static final String PATH = "/v0/consistency";

	private final RepairOverview repair;

	private final ReplicationLatency spread;

	ConsistencyController(RepairOverview repair, ReplicationLatency spread) {
		this.repair = repair;
		this.spread = spread;
	}

	@Override
	public Mono<Void> handle(ServerWebExchange exchange) {
		ServerHttpRequest request = exchange.getRequest();
		ServerHttpResponse response = exchange.getResponse();
		byte[] document = switch (request.getMethod().name()) {
			case "GET", "HEAD" -> document(request);
			default -> throw Problems.methodNotAllowed(request.getMethod(), "GET, HEAD");
		};
		HttpHeaders headers = response.getHeaders();
		headers.setContentType(MediaType.APPLICATION_JSON);
		headers.setContentLength(document.length);
		return response.writeWith(Mono.<DataBuffer>fromSupplier(() -> response.bufferFactory().wrap(document)));
	}

	private byte[] document(ServerHttpRequest request) {
		RawQuery.of(request).knowing(Set.of());
		return ConsistencyDocument.of(this.repair.now(), this.spread.recent()).toJson();
	}

}
