package io.quorate.coordinator;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The delay after which a read that waits for a slow replica asks one more, and the bound
 * on such reads.
 * <p>
 * The delay is a percentile of the latency of single replicas, within bounds; old
 * latencies fade. Only reads that asked no additional replica are measured, else the
 * delay would feed on its own effect. A token bucket keeps hedges to one in
 * {@value #READS_PER_HEDGE} reads. Safe for any number of threads.
 */
final class Hedging {

	static final int READS_PER_HEDGE = 20;

	static final long MIN_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	static final long MAX_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long FIRST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private static final int BURST = 10;

	private static final int WINDOW = 512;

	private static final double PERCENTILE = 0.99;

	private static final double GROWTH = 1.1;

	private static final long[] BOUNDS = bounds();

	private final AtomicInteger credit = new AtomicInteger(BURST * READS_PER_HEDGE);

	private final int[] counts = new int[BOUNDS.length];

	private int sinceLast;

	private volatile long delayNanos = FIRST_DELAY_NANOS;

	private static long[] bounds() {
		int steps = (int) Math.ceil(Math.log((double) MAX_DELAY_NANOS / MIN_DELAY_NANOS) / Math.log(GROWTH));
		long[] bounds = new long[steps + 1];
		for (int i = 0; i < steps; i++) {
			bounds[i] = (long) (MIN_DELAY_NANOS * Math.pow(GROWTH, i));
		}
		bounds[steps] = MAX_DELAY_NANOS;
		return bounds;
	}

	/** Adds the credit that a read earns when it begins: a part of a hedge. */
	void earn() {
		if (this.credit.get() < BURST * READS_PER_HEDGE) {
			this.credit.incrementAndGet();
		}
	}

	/** Takes the right to hedge one read, if there is one. */
	boolean tryTake() {
		int before = this.credit
			.getAndUpdate((credit) -> (credit >= READS_PER_HEDGE) ? credit - READS_PER_HEDGE : credit);
		return before >= READS_PER_HEDGE;
	}

	/** Time that a read waits before it asks one more replica. */
	long delayNanos() {
		return this.delayNanos;
	}

	/** Records the latency of one replica in a read that was not hedged. */
	synchronized void record(long nanos) {
		this.counts[bucket(nanos)]++;
		this.sinceLast++;
		if (this.sinceLast == WINDOW) {
			this.sinceLast = 0;
			this.delayNanos = percentile();
			fade();
		}
	}

	private static int bucket(long nanos) {
		int bucket = 0;
		while (bucket < BOUNDS.length - 1 && BOUNDS[bucket] < nanos) {
			bucket++;
		}
		return bucket;
	}

	private long percentile() {
		long total = 0;
		for (int count : this.counts) {
			total += count;
		}
		long above = (long) (total * (1 - PERCENTILE));
		int bucket = BOUNDS.length - 1;
		for (long seen = this.counts[bucket]; seen <= above && bucket > 0; seen += this.counts[bucket]) {
			bucket--;
		}
		return BOUNDS[bucket];
	}

	private void fade() {
		for (int i = 0; i < this.counts.length; i++) {
			this.counts[i] /= 2;
		}
	}

}
