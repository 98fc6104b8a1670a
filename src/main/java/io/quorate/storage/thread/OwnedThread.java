package io.quorate.storage.thread;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread of an owner that works until it stops. Its work asks {@link #isRunning}
 * between two steps, and ends when that is false. Started once; safe for any number of
 * threads.
 */
public final class OwnedThread {

	private static final Logger log = LoggerFactory.getLogger(OwnedThread.class);

	/* A disk that does not answer must not delay the rest of the stop. */
	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private final Thread thread;

	private volatile boolean running;

	/** A thread that is not started yet. */
	public OwnedThread(String name, Runnable work) {
		this.thread = Thread.ofPlatform().daemon().name(name).unstarted(work);
	}

	/** Starts the thread. */
	public void start() {
		this.running = true;
		this.thread.start();
	}

	/** Whether the thread is to go on. */
	public boolean isRunning() {
		return this.running;
	}

	/** Ends the present wait of the thread, or the next. */
	public void wake() {
		LockSupport.unpark(this.thread);
	}

	/**
	 * Stops the thread at the end of its present step, and waits for that, at most 5 s.
	 */
	public void stop() {
		this.running = false;
		wake();
		awaitEnd();
	}

	/**
	 * Interrupts the thread and waits for its end, at most 5 s. The interrupt closes a
	 * file that the thread reads or writes at this moment: for work that shares no open
	 * file with other threads.
	 */
	public void interrupt() {
		this.running = false;
		this.thread.interrupt();
		awaitEnd();
	}

	private void awaitEnd() {
		if (!Uninterrupted.join(this.thread, PATIENCE)) {
			log.warn("The thread {} has not ended within {} s: the stop goes on without it", this.thread.getName(),
					PATIENCE.toSeconds());
		}
	}

}
