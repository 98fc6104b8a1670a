package io.quorate.api;

import java.util.concurrent.Executor;

import io.quorate.api.transport.ConnectionLoop;
import io.quorate.api.transport.Outflow;
import io.quorate.coordinator.Admission;
import io.quorate.coordinator.ValueLimit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;

/**
 * Does batches and sends their answers, each page of them when the operating system has
 * taken the one before.
 */
@Component
final class Batches {

	private static final Logger logger = LoggerFactory.getLogger(Batches.class);

	private final Outflows outflows;

	private final RequestMetrics metrics;

	private final SlowRequests slow;

	private final BatchReaders readers;

	private final int maxValueBytes;

	Batches(Outflows outflows, RequestMetrics metrics, SlowRequests slow, BatchReaders readers, ValueLimit limit) {
		this.outflows = outflows;
		this.metrics = metrics;
		this.slow = slow;
		this.readers = readers;
		this.maxValueBytes = limit.maxSizeBytes();
	}

	/** Measures values. */
	RequestMetrics metrics() {
		return this.metrics;
	}

	/**
	 * The lines of a batch. Starts when subscribed.
	 * @param turns runs the search, as far as it is more than a turn's work
	 * @return fails with a {@link io.quorate.api.problem.ProblemException} (413) when
	 * they are too many
	 */
	Mono<BatchLines> lines(byte[] body, Executor turns) {
		return this.readers.lines(body, turns);
	}

	/**
	 * Does the items of a batch and sends their answers. Starts when subscribed.
	 * @param permit permit for the body, which is to admit the values that are read, too
	 */
	Mono<Void> send(BatchLines lines, BatchCalls calls, Admission.Permit permit, ServerWebExchange exchange) {
		ServerHttpResponse response = exchange.getResponse();
		response.getHeaders().setContentType(MediaType.APPLICATION_NDJSON);
		if (lines.count() == 0) {
			return response.setComplete();
		}
		return this.outflows.with(response, (outflow) -> {
			Executor turns = ConnectionLoop.turns(exchange.getRequest());
			BatchFormat format = new BatchFormat(response.bufferFactory(), outflow);
			return response.writeWith(Flux.using(() -> {
				BatchObservation observation = new BatchObservation(ClientRequest.of(exchange), lines.count(),
						this.metrics, this.slow);
				BatchRoom room = new BatchRoom(permit, lines.body().length, this.maxValueBytes);
				return new Batch(this.readers.of(lines), calls, observation, turns, room);
			}, (batch) -> answers(batch, format, outflow), Batch::close));
		});
	}

	private static Flux<DataBuffer> answers(Batch batch, BatchFormat format, Outflow outflow) {
		return Mono.defer(batch::nextPage)
			.flatMapMany(format::lines)
			.repeat(() -> !batch.isOver())
			.doOnComplete(batch::sent)
			.onErrorResume((bug) -> {
				logger.error("Broke off a batch under way", bug);
				outflow.abort();
				return Flux.never();
			});
	}

}
