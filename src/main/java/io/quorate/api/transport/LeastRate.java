package io.quorate.api.transport;

import java.time.Duration;

/**
 * The least rate at which a client must send a body, or take an answer: meanwhile it
 * holds resources of this node that other clients need.
 */
public final class LeastRate {

	/** Bytes in a second, on average after the first {@link #GRACE}. */
	public static final int BYTES_PER_SECOND = 16 * 1024;

	/** Time in which any rate will do. */
	public static final Duration GRACE = Duration.ofSeconds(5);

	private static final double NANOS_PER_SECOND = 1e9;

	private LeastRate() {
	}

	/** Whether so many bytes are too few for a time. */
	public static boolean isBelow(long bytes, long nanos) {
		double afterGrace = (nanos - GRACE.toNanos()) / NANOS_PER_SECOND;
		return bytes < afterGrace * BYTES_PER_SECOND;
	}

}
