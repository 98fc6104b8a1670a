package io.quorate.api;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;

import io.quorate.api.transport.Outflow;
import io.quorate.entry.Value;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;

/**
 * The lines with which a batch is answered, one JSON object each. Small ones share a
 * buffer. A large value goes in slices, each when the one before has left.
 */
final class BatchFormat {

	/* Of a value; a multiple of 3, so that base64 has no padding but in the last one. */
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
				Map<String, Object> members = answer.members();
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
