package io.quorate.process;

import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A histogram of the latencies of very many answers, to within 3 %. Safe for any number
 * of threads.
 */
final class LatencyHistogram {

	/* Of each power of two. */
	private static final int PARTS = 32;

	private static final int PARTS_BITS = 5;

	private final AtomicLongArray counts = new AtomicLongArray(Long.SIZE * PARTS);

	private final AtomicLong most = new AtomicLong();

	private final AtomicLong count = new AtomicLong();

	void record(long nanos) {
		long value = Math.max(PARTS, nanos);
		int power = Long.SIZE - 1 - Long.numberOfLeadingZeros(value);
		int part = (int) (value >>> (power - PARTS_BITS)) - PARTS;
		this.counts.incrementAndGet(power * PARTS + part);
		this.most.accumulateAndGet(nanos, Math::max);
		this.count.incrementAndGet();
	}

	long count() {
		return this.count.get();
	}

	long mostNanos() {
		return this.most.get();
	}

	/** The time that such a part of the answers did not exceed. */
	long nanosOf(double part) {
		long wanted = (long) Math.ceil(this.count.get() * part);
		long seen = 0;
		for (int i = 0; i < this.counts.length(); i++) {
			seen += this.counts.get(i);
			if (seen >= wanted && seen > 0) {
				int power = i / PARTS;
				return (long) (PARTS + i % PARTS + 1) << (power - PARTS_BITS);
			}
		}
		return 0;
	}

	@Override
	public String toString() {
		return String.format(Locale.ROOT, "%d, p50 %.2f ms, p99 %.2f, p99.9 %.2f, most %.1f", count(),
				nanosOf(0.5) / 1e6, nanosOf(0.99) / 1e6, nanosOf(0.999) / 1e6, mostNanos() / 1e6);
	}

}
