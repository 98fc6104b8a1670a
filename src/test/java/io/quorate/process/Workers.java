package io.quorate.process;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Some threads that do the same at once, whose failures are the test's. */
final class Workers implements AutoCloseable {

	private final ExecutorService executor;

	private final List<Future<?>> running = new ArrayList<>();

	private Workers(int threads) {
		this.executor = Executors.newFixedThreadPool(threads);
	}

	/** Begins work on each of some threads. */
	static Workers begin(int threads, Work work) {
		Workers workers = new Workers(threads);
		for (int i = 0; i < threads; i++) {
			int number = i;
			workers.running.add(workers.executor.submit(() -> {
				work.run(number);
				return null;
			}));
		}
		return workers;
	}

	/** Does work on some threads and waits until all have ended. */
	static void run(int threads, Duration limit, Work work) throws InterruptedException {
		try (Workers workers = begin(threads, work)) {
			workers.join(limit);
		}
	}

	/** Waits until all have ended, and fails as the first of them that failed. */
	void join(Duration limit) throws InterruptedException {
		long deadline = System.nanoTime() + limit.toNanos();
		for (Future<?> worker : this.running) {
			try {
				worker.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
			}
			catch (ExecutionException failed) {
				throw new AssertionError("a worker failed: " + failed.getCause(), failed.getCause());
			}
			catch (TimeoutException late) {
				throw new AssertionError("the workers took longer than " + limit, late);
			}
		}
	}

	@Override
	public void close() {
		this.executor.shutdownNow();
	}

	/** The work of each worker. */
	@FunctionalInterface
	interface Work {

		/** Does it, on the thread of this number. */
		void run(int number) throws Exception;

	}

}
