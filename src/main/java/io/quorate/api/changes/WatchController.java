package io.quorate.api.changes;

import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;

import io.quorate.api.body.AuthorizedCoordinator;
import io.quorate.api.body.Outflows;
import io.quorate.api.request.ClientRequest;
import io.quorate.api.request.Problems;
import io.quorate.api.transport.ClientCertificate;
import io.quorate.api.transport.ConnectionLoop;
import io.quorate.clock.TimeSource;
import io.quorate.security.access.Caller.ReadableRange;
import io.quorate.security.access.Caller;
import io.quorate.watch.WatchBatch;
import io.quorate.watch.WatchTerms;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebHandler;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * The handler of watches: {@code GET /v0/watch?prefix=<key>}, of another range or of a
 * key, as a stream of events, or with {@code wait} as a poll.
 * <p>
 * A watch is bounded by the room of watches and holds no permit. It is no operation that
 * is measured: its time is that of its client.
 */
@Component
public final class WatchController implements WebHandler {

	private final AuthorizedCoordinator coordinator;

	private final Outflows outflows;

	private final TimeSource clock;

	WatchController(AuthorizedCoordinator coordinator, Outflows outflows, TimeSource clock) {
		this.coordinator = coordinator;
		this.outflows = outflows;
		this.clock = clock;
	}

	@Override
	public Mono<Void> handle(ServerWebExchange exchange) {
		ServerHttpRequest request = exchange.getRequest();
		if (!HttpMethod.GET.equals(request.getMethod())) {
			throw Problems.methodNotAllowed(request.getMethod(), "GET");
		}
		WatchRequest watch = WatchRequest.of(request);
		Caller caller = ClientRequest.of(exchange).caller();
		ReadableRange readable = caller.reading(watch.range());
		BooleanSupplier mayRead = mayStillRead(watch, caller, request);
		Flux<WatchBatch> batches = this.coordinator.watch(readable, (range) -> new WatchTerms(range, watch.cursor(),
				watch.hasValues(), watch.isResumed(), caller.principal().name(), mayRead));
		Scheduler loop = ConnectionLoop.of(request);
		return this.outflows.with(exchange.getResponse(), (outflow) -> {
			Duration pollTime = watch.pollTime();
			WatchAnswer answer = (pollTime != null) ? new EventPoll(watch, pollTime, outflow, loop)
					: new EventStream(watch, outflow, loop);
			return answer.send(batches, exchange.getResponse());
		});
	}

	private BooleanSupplier mayStillRead(WatchRequest watch, Caller caller, ServerHttpRequest request) {
		Instant end = certified(request);
		return () -> caller.mayStillRead(watch.range())
				&& (end == null || Instant.ofEpochMilli(this.clock.millis()).isBefore(end));
	}

	/* Beside a token the certificate gives no rights. */
	private static @Nullable Instant certified(ServerHttpRequest request) {
		boolean hasToken = request.getHeaders().containsHeader(HttpHeaders.AUTHORIZATION);
		return hasToken ? null : ClientCertificate.end(request);
	}

}
