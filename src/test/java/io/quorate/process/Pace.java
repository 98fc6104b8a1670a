package io.quorate.process;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Begins of work at a constant rate. Used by one thread. */
final class Pace {

	private final long nanos;

	private long next;

	Pace(Duration interval) {
		this.nanos = interval.toNanos();
		this.next = System.nanoTime() + this.nanos;
	}

	/** Waits for the next; does not catch up when it is late. */
	void await() {
		for (long left = this.next - System.nanoTime(); left > 0; left = this.next - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
		this.next = System.nanoTime() + this.nanos;
	}

}
