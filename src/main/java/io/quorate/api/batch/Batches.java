package io.quorate.api.batch;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

import io.quorate.api.body.Outflows;
import io.quorate.api.request.ClientRequest;
import io.quorate.api.request.LineEnds;
import io.quorate.api.transport.ConnectionLoop;
import io.quorate.api.transport.Outflow;
import io.quorate.api.watch.RequestMetrics;
import io.quorate.api.watch.SlowRequests;
import io.quorate.coordinator.Admission;
import io.quorate.coordinator.ValueLimit;
import io.quorate.entry.Value;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;

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

	/**
	 * The lines with which a batch is answered, one JSON object each. Small ones share a
	 * buffer. A large value goes in slices, each when the one before has left.
	 */
	private static final class BatchFormat {

		/*
		 * Of a value; a multiple of 3, so that base64 has no padding but in the last one.
		 */
		private static final int SLICE_BYTES = 48 * 1024;

		private static final String VALUE = "value";

		private static final byte[] END_OF_VALUE = "\"}\n".getBytes(StandardCharsets.US_ASCII);

		private static final JsonMapper JSON = JsonMapper
			.builder(JsonFactory.builder().rootValueSeparator("\n").characterEscapes(new LineEnds()).build())
			.build();

		private final DataBufferFactory buffers;

		private final Outflow outflow;

		BatchFormat(DataBufferFactory buffers, Outflow outflow) {
			this.buffers = buffers;
			this.outflow = outflow;
		}

		/** The lines of a page of answers; completes when they have left. */
		Flux<DataBuffer> lines(List<BatchAnswer> page) {
			BatchAnswer first = page.getFirst();
			Value value = first.value();
			if (value == null || first.lineBytes() <= Batch.PAGE_BYTES) {
				return Mono.fromSupplier(() -> small(page)).concatWith(drained());
			}
			int slices = Math.ceilDiv(value.size(), SLICE_BYTES);
			return Flux.range(0, slices)
				.concatMap((number) -> Mono.fromSupplier(() -> slice(first, value, number)).concatWith(drained()), 0);
		}

		private Mono<DataBuffer> drained() {
			return this.outflow.drained().cast(DataBuffer.class);
		}

		private DataBuffer small(List<BatchAnswer> page) {
			long lineBytes = page.stream().mapToLong(BatchAnswer::lineBytes).sum();
			DataBuffer buffer = this.buffers.allocateBuffer((int) lineBytes);
			try (JsonGenerator json = JSON.createGenerator(buffer.asOutputStream(), JsonEncoding.UTF8)) {
				for (BatchAnswer answer : page) {
					Map<String, @Nullable Object> members = answer.members();
					Value value = answer.value();
					if (value != null) {
						members.put(VALUE, value.array());
					}
					json.writePOJO(members);
				}
			}
			return buffer.write((byte) '\n');
		}

		/** A part of the line of one answer, the first with its other members. */
		private DataBuffer slice(BatchAnswer answer, Value value, int number) {
			int from = number * SLICE_BYTES;
			int to = Math.min(from + SLICE_BYTES, value.size());
			byte[] base64 = Base64.getEncoder().encode(Arrays.copyOfRange(value.array(), from, to));
			DataBuffer buffer = this.buffers.allocateBuffer(base64.length + BatchAnswer.HEAD_BYTES);
			if (number == 0) {
				String head = JSON.writeValueAsString(answer.members());
				buffer.write(head.substring(0, head.length() - 1) + ",\"" + VALUE + "\":\"", StandardCharsets.UTF_8);
			}
			buffer.write(base64);
			return (to == value.size()) ? buffer.write(END_OF_VALUE) : buffer;
		}

	}

}
