package io.quorate.api.changes;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import io.quorate.api.transport.Outflow;
import io.quorate.coordinator.RefusedException.Why;
import io.quorate.coordinator.RefusedException;
import io.quorate.watch.WatchBatch;
import io.quorate.watch.WatchCursor;
import io.quorate.watch.WatchEvent;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * The events of a watch as server-sent events, without end. A cursor stands only at the
 * last event of its batch: a client that has lost the rest of a batch goes on before it.
 */
final class EventStream extends WatchAnswer {

	private static final int LEAST_RETRY_MILLIS = 1000;

	private static final int MOST_RETRY_MILLIS = 5000;

	/** The stream that answers a request. */
	EventStream(WatchRequest watch, Outflow outflow, Scheduler loop) {
		super(watch, MediaType.TEXT_EVENT_STREAM, outflow, loop);
	}

	@Override
	Flux<DataBuffer> bytes(Flux<WatchBatch> batches, ServerHttpResponse response) {
		Flux<WatchBatch> answered = this.watch.isResumed()
				? batches.onErrorResume(RefusedException.class, EventStream::refused) : batches;
		return answered.concatMap((batch) -> part(batch, response), 0)
			.concatWith(Mono.<DataBuffer>empty().subscribeOn(this.loop));
	}

	/* A browser that reconnects gives up at any status but 200. */
	private static Flux<WatchBatch> refused(RefusedException refused) {
		String why = (refused.why() == Why.DRAINING) ? "draining" : "full";
		return Flux.just(new WatchBatch(List.of(new WatchEvent.End(why)), null));
	}

	@Override
	void begin(DataBuffer to) {
		to.write(": quorate\n\n", StandardCharsets.US_ASCII);
	}

	@Override
	void write(WatchBatch batch, DataBuffer to) {
		WatchCursor cursor = batch.cursor();
		List<WatchEvent> events = batch.events();
		int last = last(events);
		for (int i = 0; i < events.size(); i++) {
			write(events.get(i), (i == last && cursor != null) ? "id: " + cursor.toText() + "\n" : "", to);
		}
	}

	/* Behind it there are comments alone. */
	private static int last(List<WatchEvent> events) {
		for (int i = events.size() - 1; i >= 0; i--) {
			if (!(events.get(i) instanceof WatchEvent.Quiet)) {
				return i;
			}
		}
		return events.size() - 1;
	}

	private void write(WatchEvent event, String id, DataBuffer to) {
		if (event instanceof WatchEvent.Quiet) {
			to.write(":\n" + id + "\n", StandardCharsets.US_ASCII);
			return;
		}
		String retry = (event instanceof WatchEvent.End) ? "retry: " + retryMillis() + "\n" : "";
		to.write("%s%sevent: %s\ndata: ".formatted(id, retry, EventJson.word(event)), StandardCharsets.US_ASCII);
		EventJson.writeObject(to, (json) -> EventJson.writeMembers(event, this.watch.hasValues(), json));
		to.write("\n\n", StandardCharsets.US_ASCII);
	}

	private static int retryMillis() {
		return ThreadLocalRandom.current().nextInt(LEAST_RETRY_MILLIS, MOST_RETRY_MILLIS + 1);
	}

}
