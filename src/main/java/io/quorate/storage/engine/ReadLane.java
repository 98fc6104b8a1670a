package io.quorate.storage.engine;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quorate.clock.Deadline;
import io.quorate.storage.StorageCorruptedException;
import io.quorate.storage.StorageExpiredException;
import io.quorate.storage.StorageOverloadedException.Bound;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.thread.Uninterrupted;

/**
 * A bounded queue of reads of one kind with threads of its own. A read that has begun is
 * never cancelled or interrupted. A read that would end too late for its caller when its
 * turn comes is dropped, so that in a jam the disk works only for answers that are used.
 */
final class ReadLane implements AutoCloseable {

	private static final int SAMPLES = 8;

	/* The typical time is forgotten after so long without a read. */
	private static final long KNOWN_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final ThreadPoolExecutor executor;

	private final int places;

	private final Bound bound;

	private final ReadBudget budget;

	private final StoreEvents events;

	/* Typical time of a read from its begin. */
	private final AtomicLong typicalNanos = new AtomicLong();

	private final AtomicLong doneNanos = new AtomicLong(System.nanoTime());

	/**
	 * A lane.
	 * @param name prefix of the names of its threads
	 * @param places reads that may wait for one of the threads
	 * @param bound named in the refusal of further reads
	 * @param budget of the large values that are read
	 * @param events receives the time that each read has waited for its turn
	 */
	ReadLane(String name, int threads, int places, Bound bound, ReadBudget budget, StoreEvents events) {
		this.places = places;
		this.bound = bound;
		this.budget = budget;
		this.events = events;
		this.executor = new ThreadPoolExecutor(threads, threads, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(places),
				Thread.ofPlatform().daemon().name(name, 0).factory());
	}

	/**
	 * Runs a read when its turn comes.
	 * @param source tables to read from, with a reference that the lane releases
	 * @param begunNanos time of the request
	 */
	<T> CompletableFuture<T> submit(Source source, long begunNanos, Deadline deadline, Executor callbacks,
			Function<ReadBudget.Taken, T> work) {
		CompletableFuture<T> future = new CompletableFuture<>();
		// An executor that throws may have queued the read all the same.
		AtomicBoolean isTaken = new AtomicBoolean();
		try {
			this.executor.execute(() -> {
				if (!isTaken.compareAndSet(false, true)) {
					return;
				}
				this.events.metrics().readBegun(System.nanoTime() - begunNanos);
				ReadBudget.Taken taken = this.budget.nothing();
				Runnable completion = isTooLate(deadline) ? drop(source, future)
						: timed(() -> outcome(source, work, taken, future));
				tell(callbacks, completion, taken);
			});
		}
		catch (RejectedExecutionException full) {
			source.release();
			future.completeExceptionally(new StorageOverloadedException(this.bound, this.places));
		}
		catch (RuntimeException | Error noThread) {
			if (isTaken.compareAndSet(false, true)) {
				source.release();
				future.completeExceptionally(noThread);
			}
		}
		return future;
	}

	/*
	 * In a jam the first read in the queue has the nearest deadline. If each began with
	 * less time left than a read takes, all would be done, and none in time.
	 */
	private boolean isTooLate(Deadline deadline) {
		boolean isKnown = System.nanoTime() - this.doneNanos.get() < KNOWN_NANOS;
		return deadline.remainingNanos() <= (isKnown ? 2 * this.typicalNanos.get() : 0);
	}

	private Runnable timed(Supplier<Runnable> read) {
		long start = System.nanoTime();
		Runnable completion = read.get();
		long end = System.nanoTime();
		// A moving average: a sample that is lost to another thread does not matter.
		long before = this.typicalNanos.get();
		this.typicalNanos.set(before + (end - start - before) / SAMPLES);
		this.doneNanos.set(end);
		return completion;
	}

	private Runnable drop(Source source, CompletableFuture<?> future) {
		source.release();
		return () -> future.completeExceptionally(new StorageExpiredException());
	}

	/** Does the work and returns the completion of the future. */
	private <T> Runnable outcome(Source source, Function<ReadBudget.Taken, T> work, ReadBudget.Taken taken,
			CompletableFuture<T> future) {
		try {
			T result = work.apply(taken);
			return () -> future.complete(result);
		}
		catch (StorageCorruptedException damage) {
			this.events.damage().accept(damage);
			return () -> future.completeExceptionally(damage);
		}
		catch (RuntimeException | Error failure) {
			return () -> future.completeExceptionally(failure);
		}
		finally {
			source.release();
		}
	}

	/**
	 * Completes the future, then releases the budget: the receiver accounts for the bytes
	 * before its call returns.
	 */
	private static void tell(Executor callbacks, Runnable completion, ReadBudget.Taken taken) {
		Runnable handOver = () -> {
			try {
				completion.run();
			}
			finally {
				taken.release();
			}
		};
		try {
			callbacks.execute(handOver);
		}
		catch (RejectedExecutionException gone) {
			handOver.run();
		}
	}

	int queued() {
		return this.executor.getQueue().size();
	}

	@Override
	public void close() {
		Uninterrupted.shutDown(this.executor);
	}

}
