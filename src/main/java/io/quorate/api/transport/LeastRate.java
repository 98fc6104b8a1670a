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

	/** Time in which nothing need come or be taken. */
	public static final Duration GRACE = Duration.ofSeconds(5);

	private static final double NANOS_PER_SECOND = 1e9;

	private static final double MOST_MISSING = BYTES_PER_SECOND * (GRACE.toNanos() / NANOS_PER_SECOND);

	private final double mostAhead;

	/* Bytes that should be there by now; negative when there are more. */
	private double missing;

	private long lastBytes;

	private long lastNanos;

	/**
	 * The rate of what has not begun yet.
	 * @param ahead time beyond {@link #GRACE} for which a client may rest that was fast
	 */
	public LeastRate(Duration ahead) {
		this.mostAhead = BYTES_PER_SECOND * (ahead.toNanos() / NANOS_PER_SECOND);
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
		return this.missing > MOST_MISSING;
	}

}
