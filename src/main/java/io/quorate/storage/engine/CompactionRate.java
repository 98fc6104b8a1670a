package io.quorate.storage.engine;

import java.util.concurrent.TimeUnit;

/**
 * How fast flushes and merges work while nothing waits for them. A debt raises it, so
 * that merges that are slower than what is written do not fall behind for good: the debt
 * stays where the raised speed is that of the writes.
 *
 * @param share part of the time that each works, above 0, at most 1
 * @param bytesPerSecond what merges write together; 0 for no limit
 */
record CompactionRate(double share, long bytesPerSecond) {

	/* A debt that takes so long at the configured rate doubles it. */
	private static final long DOUBLED_BY_SECONDS = 10;

	/* What is taken for the rate when there is none, to judge a debt by. */
	private static final long USUAL_BYTES_PER_SECOND = 64L << 20;

	/* What waits for it by then has waited long enough. */
	private static final long LONGEST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	/**
	 * The speed when merges are due that cannot be begun yet.
	 * @param debtBytes what these would read
	 */
	CompactionRate owing(long debtBytes) {
		long rate = (this.bytesPerSecond > 0) ? this.bytesPerSecond : USUAL_BYTES_PER_SECOND;
		double factor = 1 + (double) debtBytes / (double) (rate * DOUBLED_BY_SECONDS);
		return new CompactionRate(Math.min(1, this.share * factor), (long) ((double) this.bytesPerSecond * factor));
	}

	/**
	 * How long to rest after some work.
	 * @param ahead number of works under way that go first
	 */
	long restNanos(long workedNanos, int ahead) {
		double rest = (double) workedNanos * (1 / this.share - 1 + ahead);
		return Math.min(LONGEST_REST_NANOS, (long) rest);
	}

	/** How long it takes at this rate to write so much. */
	long writingNanos(long sizeBytes) {
		return (this.bytesPerSecond == 0) ? 0 : (long) (1e9 * (double) sizeBytes / (double) this.bytesPerSecond);
	}

}
