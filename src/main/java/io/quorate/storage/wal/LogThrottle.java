package io.quorate.storage.wal;

/**
 * How fast the log may go, so that flushes and compactions can follow.
 *
 * @param pauseNanos time from one batch to the next, at least; 0 for none
 * @param batchBytes size at which a batch takes up no further write
 * @param queueBytes how much may wait; beyond it writes are refused, so that no write
 * waits for many pauses
 */
public record LogThrottle(long pauseNanos, int batchBytes, long queueBytes) {

	/** As fast as it can. */
	public static final LogThrottle FULL = new LogThrottle(0, Integer.MAX_VALUE, Long.MAX_VALUE);

}
