package io.quorate.api.body;

import java.time.Duration;
import java.util.function.Function;

import io.quorate.api.request.ApiProperties;
import io.quorate.api.transport.Outflow;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/**
 * Watches long answers while they are sent, and ends those whose clients stand still.
 * Needs no timer for each.
 */
@Component
public final class Outflows {

	private final Duration idleLimit;

	private final IdleSweep sweep;

	Outflows(ApiProperties properties, IdleSweep sweep) {
		this.idleLimit = properties.answerIdleTimeout();
		this.sweep = sweep;
	}

	/** Sends an answer under watch, from its subscription to its end, however it ends. */
	public Mono<Void> with(ServerHttpResponse response, Function<Outflow, Mono<Void>> send) {
		Outflow outflow = Outflow.of(response, this.idleLimit);
		return Mono.using(() -> watched(outflow), (_) -> send.apply(outflow), this.sweep::forget);
	}

	private IdleSweep.Watched watched(Outflow outflow) {
		IdleSweep.Watched watched = outflow::abortIfIdle;
		this.sweep.watch(watched);
		return watched;
	}

}
