package io.quorate.api.transport;

import java.time.Duration;

/**
 * The least rate at which a client must send one body, or take one answer: meanwhile it
 * holds resources of this node that other clients need. A client that has been fast may
 * rest only for a time, however many bytes there were. Used by one thread at a time.
 */
public final class LeastRate {

	/** Bytes in a second. */
	public static final int BYTES_PER_SECOND = 16 * 1024;

	private static final double NANOS_PER_SECOND = 1e9;

	private final double mostMissing;

	private final double mostAhead;

	/* Bytes that should be there by now; negative when there are more. */
	private double missing;

	private long lastBytes;

	private long lastNanos;

	/**
	 * The rate of what has not begun yet.
	 * @param grace time in which nothing need come or be taken
	 * @param ahead time beyond it for which a client may rest that was fast
	 */
	public LeastRate(Duration grace, Duration ahead) {
		this.mostMissing = bytes(grace);
		this.mostAhead = bytes(ahead);
	}

	private static double bytes(Duration time) {
		return BYTES_PER_SECOND * (time.toNanos() / NANOS_PER_SECOND);
	}

	/**
	 * Whether the bytes are too few for the time.
	 * @param bytes all bytes since the beginning
	 * @param nanos time since the beginning
	 */
	public boolean isBelow(long bytes, long nanos) {
		double due = (nanos - this.lastNanos) / NANOS_PER_SECOND * BYTES_PER_SECOND;
		this.missing = Math.max(-this.mostAhead, this.missing + due - (bytes - this.lastBytes));
		this.lastBytes = bytes;
		this.lastNanos = nanos;
		return this.missing > this.mostMissing;
	}

}
