package io.quorate.api;

import java.nio.ByteBuffer;

import io.quorate.api.transport.Outflow;
import io.quorate.entry.Entry;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;

/** Writes the answers that are a value. */
@Component
final class ValueWriter {

	private static final int SLICE_BYTES = 64 * 1024;

	private final Outflows outflows;

	ValueWriter(Outflows outflows) {
		this.outflows = outflows;
	}

	/** The header fields of a value. */
	static void describe(Entry.Live entry, ServerHttpResponse response) {
		HttpHeaders headers = response.getHeaders();
		headers.setContentType(MediaType.APPLICATION_OCTET_STREAM);
		headers.setContentLength(entry.value().size());
		headers.setETag(EntityTag.of(entry.timestamp()));
		headers.setLastModified(entry.timestamp().millis());
		if (entry.expiryMillis() != Versioned.NEVER) {
			headers.setExpires(entry.expiryMillis());
		}
	}

	/**
	 * Sends a value. A large one goes in slices, each when the one before has left, so
	 * that the copy for the socket is bounded by the slice and not by the value.
	 * Completes when all is handed over; cancelled when the connection closes.
	 */
	Mono<Void> send(Entry.Live entry, ServerHttpResponse response) {
		describe(entry, response);
		Value value = entry.value();
		if (value.size() == 0) {
			return response.setComplete();
		}
		DataBufferFactory buffers = response.bufferFactory();
		if (value.size() <= SLICE_BYTES) {
			return response.writeWith(Mono.fromSupplier(() -> slice(value, 0, buffers)));
		}
		return this.outflows.with(response, (outflow) -> response.writeWith(slices(value, buffers, outflow)));
	}

	private static Flux<DataBuffer> slices(Value value, DataBufferFactory buffers, Outflow outflow) {
		int count = Math.ceilDiv(value.size(), SLICE_BYTES);
		return Flux.range(0, count)
			.concatMap((number) -> Mono.fromSupplier(() -> slice(value, number * SLICE_BYTES, buffers))
				.concatWith(outflow.drained().cast(DataBuffer.class)), 0);
	}

	private static DataBuffer slice(Value value, int offset, DataBufferFactory buffers) {
		int length = Math.min(SLICE_BYTES, value.size() - offset);
		return buffers.wrap(ByteBuffer.wrap(value.array(), offset, length).slice());
	}

}
