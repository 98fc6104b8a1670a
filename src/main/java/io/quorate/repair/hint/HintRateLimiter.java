package io.quorate.repair.hint;

import java.time.Duration;

/**
 * A rate limit in bytes a second. A hint larger than the remaining bytes is sent as well,
 * and the excess is deducted from then on. Bytes that are not used within a tenth of a
 * second are lost.
 */
final class HintRateLimiter {

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private static final int PART = 10;

	private final long bytesPerSecond;

	private double left;

	private long asOf;

	HintRateLimiter(long bytesPerSecond, long nowNanos) {
		this.bytesPerSecond = bytesPerSecond;
		this.asOf = nowNanos;
	}

	/** Whether a hint may be sent now. */
	boolean isLeft(long nowNanos) {
		double earned = (double) (nowNanos - this.asOf) * this.bytesPerSecond / SECOND;
		this.left = Math.min((double) this.bytesPerSecond / PART, this.left + earned);
		this.asOf = nowNanos;
		return this.left > 0;
	}

	void use(int bytes) {
		this.left -= bytes;
	}

}
