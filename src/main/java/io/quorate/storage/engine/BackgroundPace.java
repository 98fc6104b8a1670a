package io.quorate.storage.engine;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Keeps a flush or a merge from taking a processor and the disk for itself: after each
 * slice of work it rests in proportion, unless something waits for it. Used by one
 * thread.
 */
final class BackgroundPace {

	/* A request that finds the processor taken waits no longer. */
	private static final long SLICE_NANOS = 2_000_000;

	/* What waits for it by then has waited long enough. */
	private static final long LONGEST_REST_NANOS = 100_000_000;

	/* The clock is not read at each entry. */
	private static final int ENTRIES = 32;

	private final double restPerWork;

	private final BooleanSupplier isAwaited;

	private int entries;

	private long sliceBegan = System.nanoTime();

	/**
	 * Begins a slice.
	 * @param share part of the time that it works while nothing waits for it, above 0; 1
	 * for all of it
	 * @param isAwaited whether it is not to rest now
	 */
	BackgroundPace(double share, BooleanSupplier isAwaited) {
		this.restPerWork = 1 / share - 1;
		this.isAwaited = isAwaited;
	}

	/** An entry is done: rests when it is time to. */
	void entryDone() {
		this.entries++;
		if (this.entries % ENTRIES != 0) {
			return;
		}
		long worked = System.nanoTime() - this.sliceBegan;
		if (worked >= SLICE_NANOS) {
			rest(worked);
			this.sliceBegan = System.nanoTime();
		}
	}

	private void rest(long worked) {
		long nanos = (long) Math.min(LONGEST_REST_NANOS, this.restPerWork * worked);
		if (nanos > 0 && !this.isAwaited.getAsBoolean()) {
			LockSupport.parkNanos(this, nanos);
		}
	}

}
