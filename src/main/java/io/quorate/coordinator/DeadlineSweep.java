package io.quorate.coordinator;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.quorate.clock.Deadline;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Ends what nobody waits for any more: one coarse sweep over everything that is pending,
 * instead of a timer for each request. Deadlines are met with a delay of up to
 * {@value #TICK_MILLIS} ms.
 */
final class DeadlineSweep implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(DeadlineSweep.class);

	static final int TICK_MILLIS = 10;

	private final Set<Pending<?>> pending = ConcurrentHashMap.newKeySet();

	private final ScheduledExecutorService executor = new ScheduledThreadPoolExecutor(1,
			Thread.ofPlatform().daemon().name("coordinator-deadlines").factory());

	private final ScheduledFuture<?> ticking;

	DeadlineSweep() {
		this.ticking = this.executor.scheduleWithFixedDelay(this::sweep, TICK_MILLIS, TICK_MILLIS,
				TimeUnit.MILLISECONDS);
	}

	/**
	 * Fails at a deadline, on the sweeping thread, and never gives a value. Begins to
	 * wait when subscribed; cancelling ends it.
	 */
	<T> Mono<T> failAt(Deadline deadline, Supplier<? extends Throwable> failure) {
		return Mono.create((sink) -> {
			Pending<T> waiting = new Pending<>(deadline, failure, sink);
			this.pending.add(waiting);
			sink.onDispose(() -> this.pending.remove(waiting));
		});
	}

	private void sweep() {
		for (Pending<?> waiting : this.pending) {
			if (waiting.deadline.isExpired()) {
				expire(waiting);
			}
		}
	}

	/** What one waiter does with its failure must not end the sweep for the others. */
	private void expire(Pending<?> waiting) {
		try {
			waiting.sink.error(waiting.failure.get());
		}
		catch (RuntimeException | Error failure) {
			this.pending.remove(waiting);
			log.error("A request could not be ended at its deadline", failure);
		}
	}

	int pending() {
		return this.pending.size();
	}

	@Override
	public void close() {
		this.ticking.cancel(false);
		this.executor.shutdown();
	}

	private static final class Pending<T> {

		private final Deadline deadline;

		private final Supplier<? extends Throwable> failure;

		private final MonoSink<T> sink;

		private Pending(Deadline deadline, Supplier<? extends Throwable> failure, MonoSink<T> sink) {
			this.deadline = deadline;
			this.failure = failure;
			this.sink = sink;
		}

	}

}
