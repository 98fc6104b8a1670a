package io.quorate.api.entity;

import java.nio.ByteBuffer;

import io.quorate.api.body.Outflows;
import io.quorate.api.request.ContentTypeField;
import io.quorate.api.request.EntityTag;
import io.quorate.api.transport.Outflow;
import io.quorate.entry.Entry;
import io.quorate.entry.Value;
import io.quorate.entry.Versioned;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Writes the answers that are a value. A large one goes in slices, each when the one
 * before has left.
 */
@Component
public final class ValueWriter {

	private static final int SLICE_BYTES = 64 * 1024;

	private final Outflows outflows;

	ValueWriter(Outflows outflows) {
		this.outflows = outflows;
	}

	/** The header fields of a value. */
	static void describe(Entry.Live entry, ServerHttpResponse response) {
		HttpHeaders headers = response.getHeaders();
		ContentTypeField.describe(entry.contentType(), headers);
		headers.setContentLength(entry.value().size());
		headers.set(HttpHeaders.ACCEPT_RANGES, "bytes");
		identify(entry, headers);
	}

	/** Answers that the client has this version already: {@code 304}. */
	static Mono<Void> unchanged(Entry.Live entry, ServerHttpResponse response) {
		response.setStatusCode(HttpStatus.NOT_MODIFIED);
		identify(entry, response.getHeaders());
		return response.setComplete();
	}

	private static void identify(Entry.Live entry, HttpHeaders headers) {
		headers.setETag(EntityTag.of(entry.version()));
		headers.setLastModified(entry.version().millis());
		if (entry.expiryMillis() != Versioned.NEVER) {
			headers.setExpires(entry.expiryMillis());
		}
	}

	/**
	 * Sends a value or a part of it. A large one goes in slices, each when the one before
	 * has left, so that the copy for the socket is bounded by the slice and not by the
	 * value. Completes when all is handed over; cancelled when the connection closes.
	 */
	Mono<Void> send(Entry.Live entry, ByteRange range, ServerHttpResponse response) {
		describe(entry, response);
		Value value = entry.value();
		if (range.isPart()) {
			response.setStatusCode(HttpStatus.PARTIAL_CONTENT);
			response.getHeaders().setContentLength(range.sizeBytes());
			response.getHeaders().set(HttpHeaders.CONTENT_RANGE, range.contentRange(value.size()));
		}
		if (range.sizeBytes() == 0) {
			return response.setComplete();
		}
		DataBufferFactory buffers = response.bufferFactory();
		if (range.sizeBytes() <= SLICE_BYTES) {
			return response.writeWith(Mono.fromSupplier(() -> slice(value, range, 0, buffers)));
		}
		return this.outflows.with(response, (outflow) -> response.writeWith(slices(value, range, buffers, outflow)));
	}

	/** A part of a value in slices, each when the one before has left. */
	public static Flux<DataBuffer> slices(Value value, ByteRange range, DataBufferFactory buffers, Outflow outflow) {
		int count = Math.ceilDiv(range.sizeBytes(), SLICE_BYTES);
		return Flux.range(0, count)
			.concatMap((number) -> Mono.fromSupplier(() -> slice(value, range, number * SLICE_BYTES, buffers))
				.concatWith(outflow.drained().cast(DataBuffer.class)), 0);
	}

	private static DataBuffer slice(Value value, ByteRange range, int offset, DataBufferFactory buffers) {
		int length = Math.min(SLICE_BYTES, range.sizeBytes() - offset);
		return buffers.wrap(ByteBuffer.wrap(value.array(), range.firstByte() + offset, length).slice());
	}

}
