package io.quorate.storage.engine;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The end of the store's threads, which are never interrupted. */
final class Executors {

	private static final Logger log = LoggerFactory.getLogger(Executors.class);

	private static final long PATIENCE_SECONDS = 30;

	private Executors() {
	}

	/** Takes no more tasks and waits until those accepted have run. */
	static void shutDown(ExecutorService executor) {
		executor.shutdown();
		boolean interrupted = false;
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
		while (!executor.isTerminated() && System.nanoTime() < deadline) {
			try {
				executor.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
			}
			catch (InterruptedException later) {
				interrupted = true;
			}
		}
		if (!executor.isTerminated()) {
			log.warn("{} has not ended within {} s", executor, PATIENCE_SECONDS);
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

}
