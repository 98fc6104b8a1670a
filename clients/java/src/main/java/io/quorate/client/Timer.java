package io.quorate.client;

import java.util.concurrent.Future;

/** The clock of a client, and what it does later. Safe for threads. */
interface Timer {

	/** Returns the nanoseconds since some instant. */
	long nanos();

	/**
	 * Runs an action later, unless the timer has ended by then.
	 * @throws java.util.concurrent.RejectedExecutionException if it has ended
	 */
	Future<?> schedule(Runnable action, long nanos);

	/** Ends the timer. What waits does not run any more. */
	void end();

}
