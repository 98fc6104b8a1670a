package io.quorate.client;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.Flow;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.jspecify.annotations.Nullable;

/**
 * An iterator over the records of a range, in the order of their keys. It has one of the
 * client's connections until its end: close it to end it early. Not for several threads.
 *
 * @param <R> the kind of record
 */
public final class RangeIterator<R> implements Iterator<R>, AutoCloseable {

	/* Each may have 16 MiB. The bytes behind them wait in the connection. */
	private static final int MOST_WAITING = 2;

	private final Records records = new Records();

	private volatile boolean isClosed;

	RangeIterator(Flow.Publisher<R> range) {
		range.subscribe(this.records);
	}

	/**
	 * Returns {@code true} if there is another record, and waits for it.
	 * @throws IncompleteRangeException if the last record did not come: never does a part
	 * pass for the whole
	 * @throws UnavailableException if no node could answer
	 * @throws IllegalStateException if this iterator is closed
	 */
	@Override
	public boolean hasNext() {
		if (this.isClosed) {
			throw closed();
		}
		return this.records.await();
	}

	@Override
	public R next() {
		if (!hasNext()) {
			throw new NoSuchElementException("the range has ended");
		}
		return this.records.take();
	}

	/** Returns the rest of the records as a stream. Close it if it is left early. */
	public Stream<R> stream() {
		return StreamSupport
			.stream(Spliterators.spliteratorUnknownSize(this,
					Spliterator.ORDERED | Spliterator.NONNULL | Spliterator.DISTINCT), false)
			.onClose(this::close);
	}

	private static IllegalStateException closed() {
		return new IllegalStateException("the range is closed");
	}

	/**
	 * Ends the range, and gives its connection back. Another thread may do it, too: the
	 * one that waits for a record then has an {@link IllegalStateException}.
	 */
	@Override
	public void close() {
		this.isClosed = true;
		this.records.cancel();
	}

	/** The records that have come, and wait for the caller. */
	private final class Records implements Flow.Subscriber<R> {

		private final Deque<R> waiting = new ArrayDeque<>();

		private Flow.@Nullable Subscription subscription;

		private int owed = MOST_WAITING;

		private @Nullable Throwable failure;

		private boolean hasEnded;

		private boolean isCancelled;

		@Override
		public void onSubscribe(Flow.Subscription range) {
			boolean isLate;
			synchronized (this) {
				this.subscription = range;
				isLate = this.isCancelled;
			}
			if (isLate) {
				range.cancel();
			}
			else {
				range.request(MOST_WAITING);
			}
		}

		@Override
		public synchronized void onNext(R item) {
			this.waiting.addLast(item);
			notifyAll();
		}

		@Override
		public synchronized void onError(Throwable error) {
			this.failure = error;
			notifyAll();
		}

		@Override
		public synchronized void onComplete() {
			this.hasEnded = true;
			notifyAll();
		}

		boolean await() {
			try {
				return awaitEvent();
			}
			catch (InterruptedException interrupt) {
				// Not under the lock: this runs events of the call, and perhaps those of
				// other calls.
				close();
				Thread.currentThread().interrupt();
				throw new CallInterruptedException("the thread was interrupted", interrupt);
			}
		}

		private synchronized boolean awaitEvent() throws InterruptedException {
			while (!this.isCancelled && this.waiting.isEmpty() && this.failure == null && !this.hasEnded) {
				wait();
			}
			if (this.isCancelled) {
				throw closed();
			}
			if (!this.waiting.isEmpty()) {
				return true;
			}
			if (this.failure != null) {
				throw Core.thrown(this.failure);
			}
			return false;
		}

		R take() {
			R item;
			Flow.Subscription range;
			boolean asks;
			synchronized (this) {
				item = this.waiting.removeFirst();
				range = this.subscription;
				this.owed--;
				asks = this.owed <= MOST_WAITING / 2;
				if (asks) {
					this.owed = MOST_WAITING;
				}
			}
			if (asks && range != null) {
				range.request(MOST_WAITING / 2);
			}
			return item;
		}

		void cancel() {
			Flow.Subscription range;
			synchronized (this) {
				this.isCancelled = true;
				range = this.subscription;
				notifyAll();
			}
			if (range != null) {
				range.cancel();
			}
		}

	}

}
