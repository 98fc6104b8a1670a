package io.quorate.storage.engine;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Keeps a flush or a merge from taking a processor and the disk for itself: after each
 * slice of work it rests as {@link CompactionRate} says, until something waits for it.
 * Used by one thread.
 */
final class BackgroundThrottle implements AutoCloseable {

	/* A request that finds the processor taken waits no longer. */
	private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

	/* So soon it notices that something waits for it. */
	private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	/* The clock is not read at each entry. */
	private static final int ENTRIES = 32;

	private final BackgroundWork work;

	private final long sizeBytes;

	private final LongSupplier written;

	private final BooleanSupplier isAwaited;

	private final LongConsumer rested;

	private int entries;

	private long sliceBegan = System.nanoTime();

	private long writtenBefore;

	/**
	 * Begins a slice.
	 * @param isAwaited whether it is not to rest now
	 * @param rested is told of each rest, in nanoseconds
	 */
	BackgroundThrottle(BackgroundWork work, long sizeBytes, LongSupplier written, BooleanSupplier isAwaited,
			LongConsumer rested) {
		this.work = work;
		this.sizeBytes = sizeBytes;
		this.written = written;
		this.isAwaited = isAwaited;
		this.rested = rested;
	}

	/** By its size others go before it. */
	long sizeBytes() {
		return this.sizeBytes;
	}

	/** An entry is done: rests when it is time to. */
	void entryDone() {
		this.entries++;
		if (this.entries % ENTRIES == 0) {
			look();
		}
	}

	/** So is an entry that was a lot of work by itself. */
	void largeEntryDone() {
		look();
	}

	private void look() {
		long worked = System.nanoTime() - this.sliceBegan;
		if (worked < SLICE_NANOS) {
			return;
		}
		long sofar = this.written.getAsLong();
		if (!this.isAwaited.getAsBoolean()) {
			long forOthers = this.work.speed().restNanos(worked, this.work.ahead(this.sizeBytes));
			long forTheRate = this.work.writingNanos(Math.max(0, sofar - this.writtenBefore));
			rest(Math.max(forOthers, forTheRate));
		}
		this.writtenBefore = sofar;
		this.sliceBegan = System.nanoTime();
	}

	private void rest(long nanos) {
		long begun = System.nanoTime();
		long left = nanos;
		while (left > 0 && !this.isAwaited.getAsBoolean()) {
			LockSupport.parkNanos(this, Math.min(left, LOOK_NANOS));
			left = nanos - (System.nanoTime() - begun);
		}
		if (nanos > 0) {
			this.rested.accept(System.nanoTime() - begun);
		}
	}

	/** The work has ended, however. */
	@Override
	public void close() {
		this.work.ended(this);
	}

}
