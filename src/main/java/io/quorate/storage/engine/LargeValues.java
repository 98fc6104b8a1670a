package io.quorate.storage.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.entry.Key;
import io.quorate.entry.Value;
import io.quorate.storage.ApplyResult;
import io.quorate.storage.StorageOverloadedException.Bound;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.record.StoredEntry.Reference;
import io.quorate.storage.record.StoredEntry;
import io.quorate.storage.thread.Uninterrupted;
import io.quorate.storage.values.ValueWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The write path of values that are too large for the log. One thread writes them to a
 * value file, many with one fsync; then the reference to each is written like any other
 * entry.
 */
final class LargeValues implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(LargeValues.class);

	private static final int QUEUE = 1024;

	private static final int BATCH = 64;

	private final ValueWriter writer;

	private final boolean force;

	private final Next next;

	private final StoreMetrics metrics;

	private final BlockingQueue<Pending> queue = new ArrayBlockingQueue<>(QUEUE);

	private final AtomicInteger scheduled = new AtomicInteger();

	private final AtomicLong accepted = new AtomicLong();

	private volatile long handedOver;

	private final ThreadPoolExecutor executor = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS,
			new ArrayBlockingQueue<>(2), Thread.ofPlatform().daemon().name("storage-values").factory());

	LargeValues(ValueWriter writer, boolean force, Next next, StoreMetrics metrics) {
		this.writer = writer;
		this.force = force;
		this.next = next;
		this.metrics = metrics;
	}

	CompletableFuture<ApplyResult> submit(Key key, StoredEntry entry, Value value, Executor callbacks) {
		Pending pending = new Pending(key, entry, value, callbacks, new CompletableFuture<>());
		this.accepted.incrementAndGet();
		if (!this.queue.offer(pending)) {
			this.accepted.decrementAndGet();
			refuse(pending, new StorageOverloadedException(Bound.LARGE_VALUES, QUEUE));
			return pending.waiter;
		}
		if (this.scheduled.getAndIncrement() == 0) {
			schedule();
		}
		else if (this.executor.isTerminated()) {
			failAll(this.next.closed());
		}
		return pending.waiter;
	}

	private void schedule() {
		try {
			this.executor.execute(this::drain);
		}
		catch (RejectedExecutionException closed) {
			failAll(this.next.closed());
		}
		catch (RuntimeException | Error noThread) {
			log.error("No thread can be started to write large values", noThread);
			// Before the queue is emptied: what comes later schedules anew.
			this.scheduled.set(0);
			failAll(new StorageOverloadedException(Bound.LARGE_VALUES, QUEUE));
		}
	}

	@SuppressWarnings("NonAtomicVolatileUpdate") // one thread drains
	private void drain() {
		int seen = this.scheduled.get();
		List<Pending> batch = new ArrayList<>(BATCH);
		while (this.queue.drainTo(batch, BATCH) > 0) {
			write(batch);
			this.handedOver += batch.size();
			batch.clear();
		}
		if (this.scheduled.addAndGet(-seen) > 0) {
			schedule();
		}
	}

	private void write(List<Pending> batch) {
		List<Reference> references = new ArrayList<>(batch.size());
		try {
			for (Pending pending : batch) {
				references.add(this.writer.append(pending.value));
			}
			if (this.force) {
				force();
			}
		}
		catch (IOException | RuntimeException | Error failure) {
			RuntimeException told = this.next.failed(failure, references);
			batch.forEach((pending) -> refuse(pending, told));
			return;
		}
		for (int i = 0; i < batch.size(); i++) {
			handOver(batch.get(i), references.get(i));
		}
	}

	private void handOver(Pending pending, Reference reference) {
		try {
			var _ = this.next.written(pending.key, pending.entry.withPayload(reference), pending.callbacks)
				.whenComplete((result, failure) -> {
					if (failure != null) {
						pending.waiter.completeExceptionally(failure);
					}
					else {
						pending.waiter.complete(result);
					}
				});
		}
		catch (RuntimeException | Error bug) {
			pending.waiter.completeExceptionally(bug);
			log.error("Internal error while a large value is written", bug);
		}
	}

	private void force() throws IOException {
		long begun = System.nanoTime();
		try {
			this.writer.force();
		}
		catch (IOException | RuntimeException | Error failure) {
			this.writer.abandon();
			throw failure;
		}
		this.metrics.forced(System.nanoTime() - begun);
	}

	/** A mark behind all values that were submitted until now. */
	long mark() {
		return this.accepted.get();
	}

	/**
	 * Whether all values before a mark have left for the log, or were refused. Without
	 * any value under way that is so, even if some were refused at once.
	 */
	boolean hasPassed(long mark) {
		return this.handedOver >= mark || this.scheduled.get() == 0;
	}

	private void refuse(Pending pending, RuntimeException cause) {
		this.metrics.refused(cause);
		pending.fail(cause);
	}

	private void failAll(RuntimeException cause) {
		Pending pending = this.queue.poll();
		while (pending != null) {
			this.accepted.decrementAndGet();
			refuse(pending, cause);
			pending = this.queue.poll();
		}
	}

	@Override
	public void close() throws IOException {
		Uninterrupted.shutDown(this.executor);
		failAll(this.next.closed());
		this.writer.close();
	}

	/** The next step after values were written, or could not be. */
	interface Next {

		/**
		 * Continues with an entry whose value is written. The caller holds one reference
		 * to its file for this entry.
		 */
		CompletableFuture<ApplyResult> written(Key key, StoredEntry entry, Executor callbacks);

		/**
		 * Takes note that values could not be written or fsynced; returns the exception
		 * for their writers.
		 */
		RuntimeException failed(Throwable cause, List<Reference> written);

		/** Returns the exception for writers after the store was closed. */
		RuntimeException closed();

	}

	private record Pending(Key key, StoredEntry entry, Value value, Executor callbacks,
			CompletableFuture<ApplyResult> waiter) {

		private void fail(RuntimeException cause) {
			try {
				this.callbacks.execute(() -> this.waiter.completeExceptionally(cause));
			}
			catch (RejectedExecutionException gone) {
				this.waiter.completeExceptionally(cause);
			}
		}

	}

}
