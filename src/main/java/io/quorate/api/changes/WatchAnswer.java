package io.quorate.api.changes;

import io.quorate.api.request.Protocol;
import io.quorate.api.transport.Outflow;
import io.quorate.watch.WatchBatch;
import io.quorate.watch.WatchEvent;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * The answer to one watch while it is sent. A batch is requested when the operating
 * system has taken the one before: until then newer events replace older ones in the
 * watch. The head is sent with the first bytes, so that a refusal becomes a problem
 * document. Its fields are confined to the event loop of the connection, which encodes
 * the batches.
 */
abstract class WatchAnswer {

	private final Outflow outflow;

	final WatchRequest watch;

	final Scheduler loop;

	private final MediaType type;

	private boolean isBegun;

	private boolean isSending;

	private boolean hasEnded;

	WatchAnswer(WatchRequest watch, MediaType type, Outflow outflow, Scheduler loop) {
		this.watch = watch;
		this.type = type;
		this.outflow = outflow;
		this.loop = loop;
	}

	/** Sends the batches of a watch. */
	Mono<Void> send(Flux<WatchBatch> batches, ServerHttpResponse response) {
		return response.writeWith(bytes(batches.doOnComplete(this::overSoon), response).doOnDiscard(DataBuffer.class,
				DataBufferUtils::release));
	}

	/* These end on the event loop, whatever ends the watch. */
	abstract Flux<DataBuffer> bytes(Flux<WatchBatch> batches, ServerHttpResponse response);

	/** The bytes of a batch, on their way to the client until it has taken them. */
	final Flux<DataBuffer> part(WatchBatch batch, ServerHttpResponse response) {
		return part(Mono.fromSupplier(() -> encoded(batch, response)));
	}

	private @Nullable DataBuffer encoded(WatchBatch batch, ServerHttpResponse response) {
		this.hasEnded |= batch.events().stream().anyMatch(WatchEvent.End.class::isInstance);
		return encoded(response, size(batch), (buffer) -> write(batch, buffer));
	}

	/* Also notes what a batch means for what follows. */
	abstract void write(WatchBatch batch, DataBuffer to);

	/* At the beginning of the answer. */
	abstract void begin(DataBuffer to);

	/** Other bytes on their way to the client. */
	final Flux<DataBuffer> part(Mono<DataBuffer> bytes) {
		return bytes.concatWith(Mono.defer(this::sent)).subscribeOn(this.loop);
	}

	private Mono<DataBuffer> sent() {
		return this.isSending ? this.outflow.drained().doOnSuccess((_) -> this.isSending = false).then(Mono.empty())
				: Mono.empty();
	}

	/** The bytes that a writer writes, {@code null} for none. */
	final @Nullable DataBuffer encoded(ServerHttpResponse response, int size, Writer writer) {
		DataBufferFactory buffers = response.bufferFactory();
		DataBuffer buffer = buffers.allocateBuffer(size);
		try {
			if (!this.isBegun) {
				begin(buffer);
			}
			writer.write(buffer);
		}
		catch (RuntimeException | Error bug) {
			DataBufferUtils.release(buffer);
			throw bug;
		}
		if (buffer.readableByteCount() == 0) {
			DataBufferUtils.release(buffer);
			return null;
		}
		if (!this.isBegun) {
			this.isBegun = true;
			describe(response.getHeaders());
		}
		this.isSending = true;
		return buffer;
	}

	private void describe(HttpHeaders headers) {
		headers.setContentType(this.type);
		headers.setCacheControl(Protocol.NO_TRANSFORM);
		headers.set("X-Accel-Buffering", "no");
	}

	/* Base64 makes three bytes four; a buffer grows. */
	private static int size(WatchBatch batch) {
		long bytes = 256;
		for (WatchEvent event : batch.events()) {
			bytes += (event instanceof WatchEvent.OfKey ofKey) ? ofKey.sizeBytes() / 3L * 4 + 4 : 128;
		}
		return (int) Math.min(bytes, Integer.MAX_VALUE / 2);
	}

	private void overSoon() {
		var _ = this.loop.schedule(this::over);
	}

	/* A stop does not wait for a client that takes nothing. */
	private void over() {
		if (this.isSending && !this.hasEnded) {
			this.outflow.abort();
		}
	}

	/** A writer of bytes to a buffer. */
	@FunctionalInterface
	interface Writer {

		void write(DataBuffer to);

	}

}
