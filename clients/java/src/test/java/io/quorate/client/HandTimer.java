package io.quorate.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;

/** A clock that a test moves. What is due runs on the thread of the test. */
final class HandTimer implements Timer {

	private final List<Task> tasks = new ArrayList<>();

	private final List<Duration> asked = new ArrayList<>();

	private long now;

	private boolean hasEnded;

	@Override
	public synchronized long nanos() {
		return this.now;
	}

	@Override
	public synchronized Future<?> schedule(Runnable action, long nanos) {
		if (this.hasEnded) {
			throw new RejectedExecutionException("the timer has ended");
		}
		Task task = new Task(action, this.now + nanos);
		this.tasks.add(task);
		this.asked.add(Duration.ofNanos(nanos));
		return task;
	}

	@Override
	public synchronized void end() {
		this.hasEnded = true;
		this.tasks.clear();
	}

	void advance(Duration time) {
		long end = nanos() + time.toNanos();
		for (Optional<Task> next = due(end); next.isPresent(); next = due(end)) {
			next.get().action.run();
		}
		synchronized (this) {
			this.now = end;
		}
	}

	private synchronized Optional<Task> due(long end) {
		Optional<Task> next = this.tasks.stream()
			.filter((task) -> task.time <= end)
			.min(Comparator.comparingLong((task) -> task.time));
		next.ifPresent((task) -> {
			this.tasks.remove(task);
			this.now = Math.max(this.now, task.time);
		});
		return next;
	}

	/** Returns the times after which something was to be done, in the order asked. */
	synchronized List<Duration> asked() {
		return List.copyOf(this.asked);
	}

	/** Returns the number of actions that wait. */
	synchronized int waiting() {
		return this.tasks.size();
	}

	private final class Task extends CompletableFuture<Void> {

		private final Runnable action;

		private final long time;

		Task(Runnable action, long time) {
			this.action = action;
			this.time = time;
		}

		@Override
		public boolean cancel(boolean interrupts) {
			synchronized (HandTimer.this) {
				return HandTimer.this.tasks.remove(this);
			}
		}

	}

}
