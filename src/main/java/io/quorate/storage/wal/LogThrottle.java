package io.quorate.storage.wal;

/**
 * The bounds on the speed of the log, so that flushes and compactions can follow.
 *
 * @param pauseNanos time from one batch to the next, at least; 0 for none
 * @param batchBytes size at which a batch takes up no further write
 * @param queueBytes bytes that may wait; beyond it writes are refused, so that no write
 * waits for many pauses
 */
public record LogThrottle(long pauseNanos, int batchBytes, long queueBytes) {

	/** No bounds: the log runs at full speed. */
	public static final LogThrottle FULL = new LogThrottle(0, Integer.MAX_VALUE, Long.MAX_VALUE);

}
