package io.quorate.api;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.quorate.watch.ChangeSource;
import io.quorate.watch.WatchBatch;
import io.quorate.watch.WatchCursor;
import io.quorate.watch.WatchEvent;
import io.quorate.watch.WatchTerms;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.scheduler.Schedulers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Changes as a test sends them. Without a script a watch is live and ends, or fails as
 * the coordinator does.
 */
final class ScriptedChanges implements ChangeSource {

	static final WatchEvent LIVE = new WatchEvent.Live(1_769_860_800_000L);

	private static final WatchBatch BEGUN = new WatchBatch(List.of(), null);

	private final InMemoryCoordinator coordinator;

	private final List<Script> scripts = new CopyOnWriteArrayList<>();

	final AtomicInteger open = new AtomicInteger();

	volatile boolean isScripted;

	ScriptedChanges(InMemoryCoordinator coordinator) {
		this.coordinator = coordinator;
	}

	void reset() {
		this.scripts.clear();
		this.isScripted = false;
	}

	@Override
	public Flux<WatchBatch> watch(WatchTerms terms) {
		RuntimeException wanted = this.coordinator.failure;
		Flux<WatchBatch> batches = (wanted != null) ? Flux.error(wanted)
				: this.isScripted ? Flux.create((sink) -> begin(terms, sink), FluxSink.OverflowStrategy.ERROR)
						: Flux.just(BEGUN, new WatchBatch(List.of(LIVE, new WatchEvent.End("time")), null));
		return batches.subscribeOn(Schedulers.parallel());
	}

	private void begin(WatchTerms terms, FluxSink<WatchBatch> sink) {
		this.open.incrementAndGet();
		Script script = new Script(terms, sink);
		sink.onDispose(() -> {
			script.isLeft = true;
			this.open.decrementAndGet();
		});
		sink.next(BEGUN);
		this.scripts.add(script);
	}

	/** The script of the watch that a client has begun with a number, from 0 on. */
	Script script(int number) {
		await().until(() -> this.scripts.size() > number);
		return this.scripts.get(number);
	}

	/** The batches of one watch. */
	static final class Script {

		final WatchTerms terms;

		private final FluxSink<WatchBatch> sink;

		volatile boolean isLeft;

		private Script(WatchTerms terms, FluxSink<WatchBatch> sink) {
			this.terms = terms;
			this.sink = sink;
		}

		/** Whether its client takes another batch. */
		boolean isAsked() {
			long asked = this.sink.requestedFromDownstream();
			assertThat(asked).as("batches at once").isBetween(0L, 1L);
			return asked > 0;
		}

		void send(@Nullable WatchCursor cursor, WatchEvent... events) {
			await().until(() -> this.isLeft || isAsked());
			this.sink.next(new WatchBatch(List.of(events), cursor));
		}

		void end() {
			this.sink.complete();
		}

	}

}
