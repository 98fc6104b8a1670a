package io.quorate.storage.engine;

import io.quorate.storage.StorageProperties;
import io.quorate.storage.wal.LogThrottle;

/**
 * Slows the log down in proportion to the backlog of flushes and compactions, before a
 * bound is reached at which writes are refused. A pure function.
 * <p>
 * The pause starts from zero half way to the bound on tables of level 0, when the
 * permitted number of memtables waits, or when compactions are many tables behind. At the
 * bound each batch waits for the longest pause and is small. Only the log's queue is
 * slowed down: a client that waits for its answers sends less. Writes of a client that
 * does not wait are refused when the queue would take {@value #PAUSES_TO_WAIT} pauses.
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

	/* So many tables of level 0 are usual, without a backlog. */
	private static final int USUAL_TABLES = 4;

	private static final int USUAL_DEBT_TABLES = 32;

	private static final int LARGE_DEBT_TABLES = 128;

	/*
	 * A debt has no bound at which writes are refused: it never counts as a full bound.
	 */
	private static final double DEBT_PART = 0.5;

	static WriteThrottling of(StorageProperties properties) {
		return new WriteThrottling(properties.wal().maxPause().toNanos(), properties.maxLevelZeroTables(),
				properties.maxMemtables(), properties.tableSize().toBytes());
	}

	/**
	 * Nearness of the bounds: 0 for not near, 1 for reached.
	 * @param tables number of tables of level 0
	 * @param memtables number of memtables that wait, plus the filled part of the active
	 * one
	 * @param debtBytes bytes that the compactions which are due and cannot be begun would
	 * read
	 */
	double pressure(int tables, double memtables, long debtBytes) {
		double ofTables = between(Math.max(USUAL_TABLES, this.maxTables / 2.0), this.maxTables, tables);
		double ofMemtables = between(this.maxMemtables, this.maxMemtables + 1.0, memtables);
		double ofDebt = DEBT_PART
				* between(USUAL_DEBT_TABLES, LARGE_DEBT_TABLES, (double) debtBytes / (double) this.tableBytes);
		return Math.max(ofTables, Math.max(ofMemtables, ofDebt));
	}

	/** Permitted speed of the log under a pressure. */
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
