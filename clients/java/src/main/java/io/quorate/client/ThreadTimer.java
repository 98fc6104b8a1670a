package io.quorate.client;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** The clock of the system, with one thread. */
final class ThreadTimer implements Timer {

	private final ScheduledThreadPoolExecutor executor;

	ThreadTimer(ThreadFactory threads) {
		this.executor = new ScheduledThreadPoolExecutor(1, threads);
		this.executor.setRemoveOnCancelPolicy(true);
	}

	@Override
	public long nanos() {
		return System.nanoTime();
	}

	@Override
	public Future<?> schedule(Runnable action, long nanos) {
		return this.executor.schedule(action, nanos, TimeUnit.NANOSECONDS);
	}

	@Override
	public void end() {
		this.executor.shutdownNow();
	}

}
