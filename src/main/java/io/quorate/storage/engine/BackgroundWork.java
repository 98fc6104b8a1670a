package io.quorate.storage.engine;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import io.quorate.storage.StorageProperties;

/**
 * The flushes and compactions of a store that are under way, and the rate that they
 * share: they pause so that all together write no faster. Of several the smallest goes
 * first: a flush before every compaction. Safe for any number of threads.
 */
final class BackgroundWork {

	/* The largest burst after a pause: the bytes of so much time at the rate. */
	private static final long SAVED_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private final CompactionRate configured;

	private final Set<BackgroundThrottle> underWay = ConcurrentHashMap.newKeySet();

	/* The time at which all bytes until now would have been written, at the rate. */
	private final AtomicLong writtenBy = new AtomicLong(System.nanoTime());

	private volatile CompactionRate speed;

	private volatile long debtBytes;

	BackgroundWork(StorageProperties properties) {
		this(new CompactionRate(properties.backgroundShare(), properties.compaction().maxRate().toBytes()));
	}

	BackgroundWork(CompactionRate configured) {
		this.configured = configured;
		this.speed = configured;
	}

	/** The current rate. */
	CompactionRate speed() {
		return this.speed;
	}

	/** Sets the number of bytes of the compactions that are due and cannot be begun. */
	void owe(long debtBytes) {
		this.debtBytes = debtBytes;
		this.speed = this.configured.owing(debtBytes);
	}

	/**
	 * Bytes of the compactions that were due and could not be begun, as last determined.
	 */
	long debtBytes() {
		return this.debtBytes;
	}

	/**
	 * Begins a flush, whose bytes do not count against the rate.
	 * @param isAwaited whether it is not to rest now
	 * @return to be closed at the end
	 */
	BackgroundThrottle flush(BooleanSupplier isAwaited) {
		return begin(new BackgroundThrottle(this, 0, () -> 0, isAwaited));
	}

	/**
	 * Begins a compaction.
	 * @param sizeBytes its size; smaller works go before it
	 * @param written bytes that it has written until now
	 * @param isAwaited whether it is not to rest now
	 * @return to be closed at the end
	 */
	BackgroundThrottle merge(long sizeBytes, LongSupplier written, BooleanSupplier isAwaited) {
		return begin(new BackgroundThrottle(this, sizeBytes, written, isAwaited));
	}

	private BackgroundThrottle begin(BackgroundThrottle pace) {
		this.underWay.add(pace);
		return pace;
	}

	void ended(BackgroundThrottle pace) {
		this.underWay.remove(pace);
	}

	/** Number of works under way that are smaller. */
	int ahead(long sizeBytes) {
		int ahead = 0;
		for (BackgroundThrottle other : this.underWay) {
			ahead += (other.sizeBytes() < sizeBytes) ? 1 : 0;
		}
		return ahead;
	}

	/**
	 * Takes note of bytes that were written, and returns the rest that keeps to the rate.
	 */
	long writingNanos(long writtenBytes) {
		long nanos = this.speed.writingNanos(writtenBytes);
		if (nanos == 0) {
			return 0;
		}
		long now = System.nanoTime();
		long by = this.writtenBy.accumulateAndGet(nanos,
				(before, more) -> now + Math.max(before - now, -SAVED_NANOS) + more);
		return Math.max(0, by - now);
	}

}
