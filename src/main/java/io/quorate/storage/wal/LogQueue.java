package io.quorate.storage.wal;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.quorate.storage.StorageOverloadedException.Bound;
import io.quorate.storage.StorageOverloadedException;
import io.quorate.storage.log.LogFormat;
import org.jspecify.annotations.Nullable;

/**
 * The queue of writes before the log, bounded in number and in bytes. Any thread adds;
 * one thread at a time removes.
 */
public final class LogQueue {

	private final int capacity;

	private final LogListener listener;

	private final ConcurrentLinkedQueue<LogWrite> queue = new ConcurrentLinkedQueue<>();

	private final AtomicInteger size = new AtomicInteger();

	private final AtomicLong bytes = new AtomicLong();

	/**
	 * An empty queue.
	 * @param capacity number of writes
	 * @param listener receives each refusal
	 */
	LogQueue(int capacity, LogListener listener) {
		this.capacity = capacity;
		this.listener = listener;
	}

	/**
	 * Adds a write.
	 * @param mostBytes number of waiting bytes above which it is refused
	 * @return number of waiting writes
	 * @throws StorageOverloadedException when a bound is reached
	 */
	int add(LogWrite write, long mostBytes) {
		if (this.bytes.get() > mostBytes) {
			throw new StorageOverloadedException(Bound.SLOWED, mostBytes);
		}
		int waiting = this.size.incrementAndGet();
		if (waiting > this.capacity) {
			this.size.decrementAndGet();
			throw new StorageOverloadedException(Bound.WRITES, this.capacity);
		}
		this.bytes.addAndGet(LogFormat.recordSize(write.key(), write.entry()));
		this.queue.add(write);
		return waiting;
	}

	boolean isEmpty() {
		return this.queue.isEmpty();
	}

	/** Number of waiting writes. */
	public int size() {
		return this.size.get();
	}

	/**
	 * Whether no write waits any more that was added before an instant. Those that have
	 * left are in a batch of the log, or refused.
	 * @param nanos the instant, as {@link System#nanoTime} counts
	 */
	public boolean hasPassed(long nanos) {
		LogWrite first = this.queue.peek();
		return first == null || first.submittedNanos() - nanos > 0;
	}

	/** Number of waiting writes at which it is half full. */
	int half() {
		return this.capacity / 2;
	}

	/** The next write, which stays. */
	@Nullable LogWrite peek() {
		return this.queue.peek();
	}

	/** Removes the next write. */
	@Nullable LogWrite poll() {
		LogWrite write = this.queue.poll();
		if (write != null) {
			this.size.decrementAndGet();
			this.bytes.addAndGet(-LogFormat.recordSize(write.key(), write.entry()));
		}
		return write;
	}

	/** Fails all writes that wait now. */
	void refuseAll(RuntimeException cause) {
		List<LogWrite> refused = new ArrayList<>();
		for (int i = this.size.get(); i > 0; i--) {
			LogWrite write = poll();
			if (write == null) {
				break;
			}
			refused.add(write);
		}
		refuse(refused, cause);
	}

	/** Fails writes that have left the queue. */
	void refuse(List<LogWrite> writes, RuntimeException cause) {
		writes.forEach((write) -> {
			write.fail(cause);
			this.listener.refused(cause);
		});
		tell(writes);
	}

	/** Completes the futures of writes, with one task per executor. */
	static void tell(List<LogWrite> writes) {
		if (writes.isEmpty()) {
			return;
		}
		IdentityHashMap<Executor, List<LogWrite>> byExecutor = new IdentityHashMap<>();
		writes.forEach((write) -> byExecutor.computeIfAbsent(write.callbacks(), (_) -> new ArrayList<>()).add(write));
		byExecutor.forEach((executor, told) -> {
			Runnable task = () -> told.forEach(LogWrite::tell);
			try {
				executor.execute(task);
			}
			catch (RejectedExecutionException gone) {
				task.run();
			}
		});
	}

}
