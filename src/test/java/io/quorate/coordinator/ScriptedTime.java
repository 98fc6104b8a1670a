package io.quorate.coordinator;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The time of a coordinator whose requests learn of it when a test lets some pass, and on
 * the thread of the test alone. A sweep on a thread of its own may be in the midst of a
 * turn of a request when the test goes on, and the request then does by that thread, and
 * later, what the test expects at once.
 */
final class ScriptedTime {

	private final AtomicLong aheadNanos = new AtomicLong();

	/* Runs nothing in the background, so that there is nothing to stop. */
	final DeadlineSweep sweep = new DeadlineSweep(Runnable::run, this::nanos, () -> {
	});

	/** Lets time pass, and has all pending requests see it. */
	void pass(Duration time) {
		this.aheadNanos.addAndGet(time.toNanos());
		this.sweep.sweep();
	}

	private long nanos() {
		return System.nanoTime() + this.aheadNanos.get();
	}

}
