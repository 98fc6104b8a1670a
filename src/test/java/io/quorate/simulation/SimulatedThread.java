package io.quorate.simulation;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** A thread of one process: it does one task after the other, in simulated time. */
public class SimulatedThread extends AbstractExecutorService implements ScheduledExecutorService {

	private static final long SWITCH_NANOS = 20_000;

	private final SimulatedTime time;

	private boolean isOver;

	public SimulatedThread(SimulatedTime time) {
		this.time = time;
	}

	@Override
	public void execute(Runnable task) {
		later(SWITCH_NANOS, task);
	}

	private void later(long nanos, Runnable task) {
		this.time.at(nanos, () -> {
			if (!this.isOver) {
				task.run();
			}
		});
	}

	@Override
	public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
		later(unit.toNanos(delay), task);
		return new Scheduled<>(task);
	}

	@Override
	public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
		throw new UnsupportedOperationException();
	}

	@Override
	public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long initialDelay, long period, TimeUnit unit) {
		throw new UnsupportedOperationException();
	}

	@Override
	public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long initialDelay, long delay, TimeUnit unit) {
		later(unit.toNanos(initialDelay), () -> {
			task.run();
			var _ = scheduleWithFixedDelay(task, delay, delay, unit);
		});
		return new Scheduled<>(task);
	}

	@Override
	public void shutdown() {
		this.isOver = true;
	}

	@Override
	public List<Runnable> shutdownNow() {
		shutdown();
		return List.of();
	}

	@Override
	public boolean isShutdown() {
		return this.isOver;
	}

	@Override
	public boolean isTerminated() {
		return this.isOver;
	}

	@Override
	public boolean awaitTermination(long timeout, TimeUnit unit) {
		return this.isOver;
	}

	/** A task that is never cancelled. */
	private static final class Scheduled<V> extends FutureTask<V> implements ScheduledFuture<V> {

		private Scheduled(Runnable task) {
			super(task, null);
		}

		@Override
		public long getDelay(TimeUnit unit) {
			throw new CancellationException();
		}

		@Override
		public int compareTo(Delayed other) {
			throw new UnsupportedOperationException();
		}

	}

}
