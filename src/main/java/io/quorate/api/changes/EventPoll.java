package io.quorate.api.changes;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.quorate.api.transport.Outflow;
import io.quorate.watch.WatchBatch;
import io.quorate.watch.WatchCursor;
import io.quorate.watch.WatchEvent;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import tools.jackson.core.JsonGenerator;

/**
 * The events of a watch as lines of JSON, up to the first ones behind which the watch is
 * live or stalled, or for a time. The last line says which it is, with the cursor. The
 * state, or what a client has missed, is sent to its end also beyond the time.
 */
final class EventPoll extends WatchAnswer {

	private static final int LINE_BYTES = 512;

	private final Duration wait;

	private final Sinks.Empty<Void> end = Sinks.empty();

	private @Nullable WatchCursor cursor;

	/* What was said last of the cover. */
	private @Nullable WatchEvent cover;

	private @Nullable WatchEvent ending;

	private boolean hasKeys;

	private boolean isTimeOver;

	/** The lines that answer a request. */
	EventPoll(WatchRequest watch, Duration wait, Outflow outflow, Scheduler loop) {
		super(watch, MediaType.APPLICATION_NDJSON, outflow, loop);
		this.wait = wait;
		this.cursor = watch.cursor();
	}

	@Override
	Flux<DataBuffer> bytes(Flux<WatchBatch> batches, ServerHttpResponse response) {
		Flux<DataBuffer> lines = batches.takeUntilOther(this.end.asMono())
			.concatMap((batch) -> part(batch, response), 0)
			.concatWith(part(Mono.fromSupplier(() -> encoded(response, LINE_BYTES, this::writeLast))));
		return Flux.using(() -> this.loop.schedule(this::timeIsOver, this.wait.toMillis(), TimeUnit.MILLISECONDS),
				(_) -> lines, Disposable::dispose);
	}

	private void timeIsOver() {
		this.isTimeOver = true;
		if (this.cover != null || !this.hasKeys) {
			var _ = this.end.tryEmitEmpty();
		}
	}

	@Override
	void begin(DataBuffer to) {
		// The head of the answer comes with the first line.
	}

	@Override
	void write(WatchBatch batch, DataBuffer to) {
		boolean isFlowing = false;
		for (WatchEvent event : batch.events()) {
			switch (event) {
				case WatchEvent.OfKey _, WatchEvent.Reset _ -> {
					writeLine(event, (_) -> {
					}, to);
					isFlowing |= event instanceof WatchEvent.OfKey;
				}
				case WatchEvent.Live _, WatchEvent.Stalled _ -> this.cover = event;
				case WatchEvent.End _ -> this.ending = event;
				case WatchEvent.Quiet _ -> {
				}
			}
		}
		this.hasKeys |= isFlowing;
		this.cursor = (batch.cursor() != null) ? batch.cursor() : this.cursor;
		boolean isAnswered = this.cover != null && (this.hasKeys || this.isTimeOver);
		if (isAnswered || this.ending != null || (this.isTimeOver && !isFlowing)) {
			var _ = this.end.tryEmitEmpty();
		}
	}

	/* Before the first word of the cover silence proves nothing. */
	private void writeLast(DataBuffer to) {
		WatchEvent said = (this.ending != null) ? this.ending : this.cover;
		String text = (this.cursor != null) ? this.cursor.toText() : null;
		writeLine((said != null) ? said : new WatchEvent.Stalled(List.of()),
				(json) -> EventJson.writeText("cursor", text, json), to);
	}

	private void writeLine(WatchEvent event, Consumer<JsonGenerator> more, DataBuffer to) {
		EventJson.writeObject(to, (json) -> {
			json.writeStringProperty("event", EventJson.word(event));
			EventJson.writeMembers(event, this.watch.hasValues(), json);
			more.accept(json);
		});
		to.write((byte) '\n');
	}

}
