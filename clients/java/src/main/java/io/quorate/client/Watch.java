package io.quorate.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * A watch of keys: its events, one after the other, until it is closed. It has one of the
 * client's connections. A slow reader holds the node back, and at most 64 events wait
 * here. One thread reads; any thread may close it.
 */
public final class Watch implements AutoCloseable {

	private static final int MOST_WAITING = 64;

	private static final Duration LONGEST = Duration.ofDays(365);

	private final Events events = new Events();

	Watch(Flow.Publisher<WatchEvent> watch) {
		watch.subscribe(this.events);
	}

	/**
	 * Returns the next event, and waits for it; it is empty if none comes in time.
	 * @param time the longest time to wait; with zero it does not wait
	 * @throws RefusedException if a node refuses the watch: no rights, or keys that are
	 * none
	 * @throws CallInterruptedException if the thread was interrupted, which closes the
	 * watch, or the client was closed
	 * @throws IllegalStateException if this watch is closed
	 */
	public Optional<WatchEvent> next(Duration time) {
		try {
			return Optional.ofNullable(this.events.take(time));
		}
		catch (InterruptedException interrupt) {
			// Not under the lock: this runs events of the call.
			close();
			Thread.currentThread().interrupt();
			throw new CallInterruptedException("the thread was interrupted", interrupt);
		}
	}

	/**
	 * Ends the watch, and gives its connection back. A thread that waits for an event
	 * then has an {@link IllegalStateException}.
	 */
	@Override
	public void close() {
		this.events.cancel();
	}

	/** The events that have come, and wait for the caller. */
	private static final class Events implements Flow.Subscriber<WatchEvent> {

		private final Deque<WatchEvent> waiting = new ArrayDeque<>();

		private Flow.@Nullable Subscription subscription;

		private int owed = MOST_WAITING;

		private @Nullable Throwable failure;

		private boolean isCancelled;

		@Override
		public void onSubscribe(Flow.Subscription watch) {
			boolean isLate;
			synchronized (this) {
				this.subscription = watch;
				isLate = this.isCancelled;
			}
			if (isLate) {
				watch.cancel();
			}
			else {
				watch.request(MOST_WAITING);
			}
		}

		@Override
		public synchronized void onNext(WatchEvent item) {
			this.waiting.addLast(item);
			notifyAll();
		}

		@Override
		public synchronized void onError(Throwable error) {
			this.failure = error;
			notifyAll();
		}

		@Override
		public void onComplete() {
			// A watch has no end of its own.
		}

		@Nullable WatchEvent take(Duration time) throws InterruptedException {
			WatchEvent item;
			Flow.Subscription watch;
			int more = 0;
			synchronized (this) {
				await(time);
				item = this.waiting.pollFirst();
				watch = this.subscription;
				if (item != null && --this.owed <= MOST_WAITING / 2) {
					more = MOST_WAITING - this.owed;
					this.owed = MOST_WAITING;
				}
			}
			if (more > 0 && watch != null) {
				watch.request(more);
			}
			return item;
		}

		private static Duration shorter(Duration time) {
			return (time.compareTo(LONGEST) < 0) ? time : LONGEST;
		}

		private void await(Duration time) throws InterruptedException {
			long end = System.nanoTime() + (time.isNegative() ? Duration.ZERO : shorter(time)).toNanos();
			while (this.waiting.isEmpty() || this.isCancelled) {
				if (this.isCancelled) {
					throw new IllegalStateException("the watch is closed");
				}
				if (this.failure != null) {
					throw Core.thrown(this.failure);
				}
				long left = end - System.nanoTime();
				if (left <= 0) {
					return;
				}
				TimeUnit.NANOSECONDS.timedWait(this, left);
			}
		}

		void cancel() {
			Flow.Subscription watch;
			synchronized (this) {
				this.isCancelled = true;
				watch = this.subscription;
				notifyAll();
			}
			if (watch != null) {
				watch.cancel();
			}
		}

	}

}
