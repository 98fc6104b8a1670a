package io.quorate.coordinator;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.quorate.clock.Deadline;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Ends requests at their deadlines, and moves on requests that wait for too long: one
 * coarse sweep over all that are pending, instead of a timer for each request. Deadlines
 * and delays are met with a lateness of up to {@value #TICK_MILLIS} ms.
 */
final class DeadlineSweep implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(DeadlineSweep.class);

	static final int TICK_MILLIS = 10;

	private final Set<Waiting> pending;

	private final Executor executor;

	private final LongSupplier nanoTime;

	private final Runnable end;

	/**
	 * Creates a sweep that is driven from outside, by {@link #sweep()}, and notifies
	 * requests in the order in which they came: so a run can be repeated.
	 * @param executor runs one task at a time
	 * @param nanoTime the monotonic clock
	 * @param end stops the executor
	 */
	DeadlineSweep(Executor executor, LongSupplier nanoTime, Runnable end) {
		this(executor, nanoTime, end, new CopyOnWriteArraySet<>());
	}

	private DeadlineSweep(Executor executor, LongSupplier nanoTime, Runnable end, Set<Waiting> pending) {
		this.pending = pending;
		this.executor = executor;
		this.nanoTime = nanoTime;
		this.end = end;
	}

	/**
	 * Creates a sweep that runs every {@value #TICK_MILLIS} ms, on a thread of its own,
	 * until closed.
	 */
	static DeadlineSweep ticking() {
		ScheduledExecutorService executor = new ScheduledThreadPoolExecutor(1,
				Thread.ofPlatform().daemon().name("coordinator-deadlines").factory(),
				new ThreadPoolExecutor.DiscardPolicy());
		DeadlineSweep sweep = new DeadlineSweep(executor, System::nanoTime, executor::shutdown,
				ConcurrentHashMap.newKeySet());
		var _ = executor.scheduleWithFixedDelay(sweep::sweep, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
		return sweep;
	}

	/** The monotonic clock that deadlines and delays are measured by. */
	long nanoTime() {
		return this.nanoTime.getAsLong();
	}

	/** Notifies a request of ticks and suspects from now on. */
	void watch(Waiting waiting) {
		this.pending.add(waiting);
	}

	void unwatch(Waiting waiting) {
		this.pending.remove(waiting);
	}

	/**
	 * Returns a {@code Mono} that fails at a deadline, on the sweeping thread, and never
	 * gives a value. It begins to wait when subscribed; cancelling ends the wait.
	 */
	<T> Mono<T> failAt(Deadline deadline, Supplier<? extends Throwable> failure) {
		return failAt(deadline, failure, (_) -> null);
	}

	/**
	 * As {@link #failAt(Deadline, Supplier)}, and fails also when a node has become
	 * suspect.
	 * @param suspicion returns the failure because of that node, or {@code null} for none
	 */
	<T> Mono<T> failAt(Deadline deadline, Supplier<? extends Throwable> failure,
			Function<String, @Nullable Throwable> suspicion) {
		return failAt(deadline, failure, suspicion, () -> null);
	}

	/**
	 * As {@link #failAt(Deadline, Supplier, Function)}, and fails also at a tick.
	 * @param news returns the failure by then, or {@code null} for none
	 */
	<T> Mono<T> failAt(Deadline deadline, Supplier<? extends Throwable> failure,
			Function<String, @Nullable Throwable> suspicion, Supplier<@Nullable Throwable> news) {
		return Mono.create((sink) -> {
			Failing<T> failing = new Failing<>(deadline, failure, suspicion, sink) {

				@Override
				void look() {
					Throwable ending = news.get();
					if (ending != null) {
						sink.error(ending);
					}
				}

			};
			watch(failing);
			sink.onDispose(() -> unwatch(failing));
		});
	}

	/**
	 * Returns a {@code Mono} that completes when a condition holds: at once if it does
	 * now, else at the tick that finds it so. At a deadline it fails, whatever holds.
	 * @param condition must not wait
	 */
	Mono<Void> when(BooleanSupplier condition, Deadline deadline, Supplier<? extends Throwable> failure) {
		return first(() -> condition.getAsBoolean() ? Boolean.TRUE : null, deadline, failure).then();
	}

	/**
	 * Returns a {@code Mono} of the first news: of now if there are any, else of the tick
	 * that finds some. At a deadline it fails, whatever there is.
	 * @param news must not wait; {@code null} for none
	 */
	<T> Mono<T> first(Supplier<@Nullable T> news, Deadline deadline, Supplier<? extends Throwable> failure) {
		return Mono.create((sink) -> {
			Failing<T> awaiting = new Failing<>(deadline, failure, (_) -> null, sink) {

				@Override
				void look() {
					T found = news.get();
					if (found != null) {
						sink.success(found);
					}
				}

			};
			watch(awaiting);
			sink.onDispose(() -> unwatch(awaiting));
			awaiting.onTick(nanoTime());
		});
	}

	/** Notifies all pending requests of the time. */
	void sweep() {
		long now = nanoTime();
		tell((waiting) -> waiting.onTick(now));
	}

	/**
	 * Notifies all pending requests that a node has become suspect, soon and on the
	 * sweeping thread.
	 */
	void suspect(String node) {
		this.executor.execute(() -> tell((waiting) -> waiting.onSuspect(node)));
	}

	/**
	 * Notifies all pending requests. One that throws must not end the sweep for the rest.
	 */
	private void tell(Consumer<Waiting> news) {
		for (Waiting waiting : this.pending) {
			try {
				news.accept(waiting);
			}
			catch (RuntimeException | Error failure) {
				unwatch(waiting);
				log.error("A request could not be ended or moved on", failure);
			}
		}
	}

	int pending() {
		return this.pending.size();
	}

	@Override
	public void close() {
		this.end.run();
	}

	/** A pending request. Both methods are called by the sweeping thread. */
	interface Waiting {

		/** Called when some {@value #TICK_MILLIS} ms have gone by. */
		void onTick(long nowNanos);

		/** Called when a node has become suspect. */
		void onSuspect(String node);

	}

	private static class Failing<T> implements Waiting {

		private final Deadline deadline;

		private final Supplier<? extends Throwable> failure;

		private final Function<String, @Nullable Throwable> suspicion;

		private final MonoSink<T> sink;

		private Failing(Deadline deadline, Supplier<? extends Throwable> failure,
				Function<String, @Nullable Throwable> suspicion, MonoSink<T> sink) {
			this.deadline = deadline;
			this.failure = failure;
			this.suspicion = suspicion;
			this.sink = sink;
		}

		@Override
		public void onTick(long nowNanos) {
			if (this.deadline.nanos() - nowNanos <= 0) {
				this.sink.error(this.failure.get());
			}
			else {
				look();
			}
		}

		/** Called at each tick before the deadline. */
		void look() {
		}

		@Override
		public void onSuspect(String node) {
			Throwable ending = this.suspicion.apply(node);
			if (ending != null) {
				this.sink.error(ending);
			}
		}

	}

}
