package io.quorate.storage.thread;

import java.util.concurrent.locks.LockSupport;

/** Time as a thread has it that rests between two steps of its work. */
@FunctionalInterface
public interface ThreadTime {

	/** The time of this machine. */
	ThreadTime SYSTEM = LockSupport::parkNanos;

	/**
	 * Rests for so many nanoseconds, or until the thread is woken or interrupted; it may
	 * end early for no reason.
	 */
	void rest(long nanos);

	/** The monotonic clock, in nanoseconds. */
	default long nanos() {
		return System.nanoTime();
	}

}
