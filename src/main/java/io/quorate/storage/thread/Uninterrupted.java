package io.quorate.storage.thread;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for the store's threads, which are never interrupted: an interrupt during I/O
 * would close the file for all threads. An interrupt of the waiting thread is kept for
 * later.
 */
public final class Uninterrupted {

	private static final Logger log = LoggerFactory.getLogger(Uninterrupted.class);

	private static final long PATIENCE_SECONDS = 30;

	private Uninterrupted() {
	}

	/** Waits until a thread has ended. */
	public static void join(Thread thread) {
		await(() -> {
			thread.join();
			return !thread.isAlive();
		});
	}

	/**
	 * Waits until a thread has ended, at most so long.
	 * @return whether it has ended
	 */
	public static boolean join(Thread thread, Duration longest) {
		long end = System.nanoTime() + longest.toNanos();
		await(() -> {
			long left = end - System.nanoTime();
			return left <= 0 || !thread.isAlive() || thread.join(Duration.ofNanos(left));
		});
		return !thread.isAlive();
	}

	/** Shuts an executor down and waits until the accepted tasks have run. */
	public static void shutDown(ExecutorService executor) {
		executor.shutdown();
		await(() -> {
			if (!executor.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
				log.warn("{} has not ended within {} s; still waiting", executor, PATIENCE_SECONDS);
			}
			return executor.isTerminated();
		});
	}

	private static void await(Wait wait) {
		boolean interrupted = false;
		boolean done = false;
		while (!done) {
			try {
				done = wait.attempt();
			}
			catch (InterruptedException later) {
				interrupted = true;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	@FunctionalInterface
	private interface Wait {

		boolean attempt() throws InterruptedException;

	}

}
