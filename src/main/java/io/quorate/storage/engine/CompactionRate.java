package io.quorate.storage.engine;

import java.util.concurrent.TimeUnit;

/**
 * The rate limit of flushes and compactions while nothing waits for them. A debt raises
 * it, so that compactions that are slower than the writes do not fall behind for good:
 * the debt settles where the raised rate is that of the writes.
 *
 * @param share part of its time that each of them works, above 0, at most 1
 * @param bytesPerSecond bytes that all compactions together write; 0 for no limit
 */
record CompactionRate(double share, long bytesPerSecond) {

	/* A debt that takes so long at the configured rate doubles the rate. */
	private static final long DOUBLED_BY_SECONDS = 10;

	/* The rate by which a debt is judged if none is configured. */
	private static final long USUAL_BYTES_PER_SECOND = 64L << 20;

	/* Bound on one rest, so that work that depends on this is not held up for longer. */
	private static final long LONGEST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	/**
	 * The rate while compactions are due that cannot be begun yet.
	 * @param debtBytes bytes that these would read
	 */
	CompactionRate owing(long debtBytes) {
		long rate = (this.bytesPerSecond > 0) ? this.bytesPerSecond : USUAL_BYTES_PER_SECOND;
		double factor = 1 + (double) debtBytes / (double) (rate * DOUBLED_BY_SECONDS);
		return new CompactionRate(Math.min(1, this.share * factor), (long) ((double) this.bytesPerSecond * factor));
	}

	/**
	 * Time to rest after some work.
	 * @param ahead number of flushes and compactions under way that go first
	 */
	long restNanos(long workedNanos, int ahead) {
		double rest = (double) workedNanos * (1 / this.share - 1 + ahead);
		return Math.min(LONGEST_REST_NANOS, (long) rest);
	}

	/** Time that writing so many bytes takes at this rate. */
	long writingNanos(long sizeBytes) {
		return (this.bytesPerSecond == 0) ? 0 : (long) (1e9 * (double) sizeBytes / (double) this.bytesPerSecond);
	}

}
