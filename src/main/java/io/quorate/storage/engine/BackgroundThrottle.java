package io.quorate.storage.engine;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Keeps a flush or a compaction from taking a processor and the disk for itself. After
 * each slice of work it rests as {@link CompactionRate} says, unless the work is awaited.
 * Used by one thread.
 */
final class BackgroundThrottle implements AutoCloseable {

	/* Longest time that a request waits for the processor. */
	private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

	/* Time within which a resting thread notices that its work is awaited. */
	private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	/* The clock is not read at each entry. */
	private static final int ENTRIES = 32;

	private final BackgroundWork work;

	private final long sizeBytes;

	private final LongSupplier written;

	private final BooleanSupplier isAwaited;

	private int entries;

	private long sliceBegan = System.nanoTime();

	private long writtenBefore;

	/**
	 * Begins a slice.
	 * @param isAwaited whether the work is awaited and must not rest now
	 */
	BackgroundThrottle(BackgroundWork work, long sizeBytes, LongSupplier written, BooleanSupplier isAwaited) {
		this.work = work;
		this.sizeBytes = sizeBytes;
		this.written = written;
		this.isAwaited = isAwaited;
	}

	/** Size of the work; smaller works go before it. */
	long sizeBytes() {
		return this.sizeBytes;
	}

	/** Takes note that an entry is done, and rests when a slice has ended. */
	void entryDone() {
		this.entries++;
		if (this.entries % ENTRIES == 0) {
			look();
		}
	}

	/** Takes note of an entry that was a lot of work, and looks at the clock at once. */
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
	}

	/** Takes note that the work has ended, with success or not. */
	@Override
	public void close() {
		this.work.ended(this);
	}

}
