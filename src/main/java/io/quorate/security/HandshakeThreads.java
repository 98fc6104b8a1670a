package io.quorate.security;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads for the tasks of TLS handshakes that the provider hands out: with that of
 * the JDK exchanges of keys, signatures and the checks of certificates, with OpenSSL the
 * choice and the checks of certificates alone. A stranger may begin a handshake, so no
 * more of the processors' time goes into these tasks than these threads can use. They end
 * when there is nothing to do.
 */
public final class HandshakeThreads {

	private static final int THREADS = 2;

	/* One task of each handshake that may be under way on any port. */
	private static final int QUEUE = 1024;

	private static final Duration IDLE = Duration.ofSeconds(10);

	private HandshakeThreads() {
	}

	/**
	 * Threads of their own for one purpose. More tasks than fit into their queue are
	 * rejected, which ends the handshake.
	 * @param name first part of the names of the threads
	 */
	public static Executor named(String name) {
		AtomicInteger number = new AtomicInteger();
		ThreadPoolExecutor threads = new ThreadPoolExecutor(THREADS, THREADS, IDLE.toMillis(), TimeUnit.MILLISECONDS,
				new LinkedBlockingQueue<>(QUEUE), (task) -> {
					Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
					thread.setDaemon(true);
					return thread;
				});
		threads.allowCoreThreadTimeOut(true);
		return threads;
	}

}
