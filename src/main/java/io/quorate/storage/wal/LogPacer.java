package io.quorate.storage.wal;

/** The throttle of the log at present, and the pause before its next batch. */
final class LogPacer {

	private volatile LogThrottle throttle = LogThrottle.FULL;

	private long lastBatchNanos = System.nanoTime();

	/** The throttle as of the last turn of the log; for any thread. */
	LogThrottle throttle() {
		return this.throttle;
	}

	/**
	 * Takes over a throttle.
	 * @param isWorkWaiting whether there is a batch to write
	 * @return time that the next batch still has to wait, if there is one
	 */
	long pauseNanos(LogThrottle current, boolean isWorkWaiting) {
		this.throttle = current;
		if (current.pauseNanos() == 0 || !isWorkWaiting) {
			return 0;
		}
		return current.pauseNanos() - (System.nanoTime() - this.lastBatchNanos);
	}

	/** Counts the next pause from now on. */
	void batchWritten() {
		this.lastBatchNanos = System.nanoTime();
	}

}
