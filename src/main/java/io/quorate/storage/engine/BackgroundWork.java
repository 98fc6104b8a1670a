package io.quorate.storage.engine;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import io.quorate.storage.StorageProperties;

/**
 * The flushes and merges of a store that are under way, and how fast they may be. Of
 * several the smaller goes first: a flush before every merge. Safe for any number of
 * threads.
 */
final class BackgroundWork {

	/* What was not written for a while may be written at once, up to so much time's. */
	private static final long SAVED_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private final CompactionRate configured;

	private final StoreMetrics metrics;

	private final Set<BackgroundThrottle> underWay = ConcurrentHashMap.newKeySet();

	/* When everything that was written would have been, at the rate. */
	private final AtomicLong writtenBy = new AtomicLong(System.nanoTime());

	private volatile CompactionRate speed;

	private volatile long debtBytes;

	BackgroundWork(StorageProperties properties, StoreMetrics metrics) {
		this(new CompactionRate(properties.backgroundShare(), properties.compaction().maxRate().toBytes()), metrics);
	}

	BackgroundWork(CompactionRate configured, StoreMetrics metrics) {
		this.configured = configured;
		this.metrics = metrics;
		this.speed = configured;
	}

	/** The speed as it is now. */
	CompactionRate speed() {
		return this.speed;
	}

	/** From now on so much is due that cannot be begun. */
	void owe(long debtBytes) {
		this.debtBytes = debtBytes;
		this.speed = this.configured.owing(debtBytes);
	}

	/** What is due and could not be begun, when it was looked at last. */
	long debtBytes() {
		return this.debtBytes;
	}

	/**
	 * Begins a flush, whose bytes do not count against the rate.
	 * @param isAwaited whether it is not to rest now
	 * @return to be closed at the end
	 */
	BackgroundThrottle flush(BooleanSupplier isAwaited) {
		return begin(new BackgroundThrottle(this, 0, () -> 0, isAwaited, this.metrics::flushRested));
	}

	/**
	 * Begins a merge.
	 * @param sizeBytes its size, by which others go before it
	 * @param written what it has written until now
	 * @param isAwaited whether it is not to rest now
	 * @return to be closed at the end
	 */
	BackgroundThrottle merge(long sizeBytes, LongSupplier written, BooleanSupplier isAwaited) {
		return begin(new BackgroundThrottle(this, sizeBytes, written, isAwaited, this.metrics::compactionRested));
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

	/** Takes note of what was written, and says how long to rest for the rate's sake. */
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
