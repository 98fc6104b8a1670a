package io.quorate.storage.engine;

import io.quorate.storage.StorageProperties;
import io.quorate.storage.wal.LogThrottle;

/**
 * Slows the log down in proportion to what flushes and compactions are behind, before a
 * bound is reached at which writes are refused: a pure function.
 * <p>
 * Half way to the bound on tables of level 0, with all memtables waiting that may, or
 * with compactions behind by many tables, it begins with nothing; at the bound each batch
 * waits for the longest pause and is small. What others than the log's queue hold back is
 * not slowed down: a client that waits for its answers sends less, one that does not is
 * refused when so much waits as takes {@value #PAUSES_TO_WAIT} pauses.
 *
 * @param maxPauseNanos longest pause between two batches; 0 for none ever
 * @param maxTables bound on tables of level 0
 * @param maxMemtables bound on memtables that wait
 * @param tableBytes size of a table
 */
record WriteThrottling(long maxPauseNanos, int maxTables, int maxMemtables, long tableBytes) {

	static final int PAUSES_TO_WAIT = 5;

	static final int LARGEST_BATCH = 1 << 20;

	static final int SMALLEST_BATCH = 64 << 10;

	/* So many tables of level 0 are no sign of being behind. */
	private static final int USUAL_TABLES = 4;

	private static final int USUAL_DEBT_TABLES = 32;

	private static final int LARGE_DEBT_TABLES = 128;

	/* A debt has no bound at which it is refused: alone it stops nobody. */
	private static final double DEBT_PART = 0.5;

	static WriteThrottling of(StorageProperties properties) {
		return new WriteThrottling(properties.wal().maxPause().toNanos(), properties.maxLevelZeroTables(),
				properties.maxMemtables(), properties.tableSize().toBytes());
	}

	/**
	 * How near a bound is: 0 for not near, 1 for there.
	 * @param tables number of tables of level 0
	 * @param memtables number of memtables that wait, and how full the active one is
	 * @param debtBytes what compactions would read that are due and cannot be begun
	 */
	double pressure(int tables, double memtables, long debtBytes) {
		double ofTables = between(Math.max(USUAL_TABLES, this.maxTables / 2.0), this.maxTables, tables);
		double ofMemtables = between(this.maxMemtables, this.maxMemtables + 1.0, memtables);
		double ofDebt = DEBT_PART
				* between(USUAL_DEBT_TABLES, LARGE_DEBT_TABLES, (double) debtBytes / (double) this.tableBytes);
		return Math.max(ofTables, Math.max(ofMemtables, ofDebt));
	}

	/** How fast the log may go under a pressure. */
	LogThrottle pace(double pressure) {
		long pause = (long) ((double) this.maxPauseNanos * pressure);
		if (pause == 0) {
			return LogThrottle.FULL;
		}
		int batch = (int) Math.max(SMALLEST_BATCH, LARGEST_BATCH * (1 - pressure));
		long pauses = this.maxPauseNanos * PAUSES_TO_WAIT / pause;
		return new LogThrottle(pause, batch, pauses * batch);
	}

	private static double between(double low, double high, double value) {
		return (high <= low) ? 0 : Math.clamp((value - low) / (high - low), 0, 1);
	}

}
