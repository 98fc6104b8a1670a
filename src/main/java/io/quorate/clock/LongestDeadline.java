package io.quorate.clock;

import java.time.Duration;

/**
 * The longest time that a request of a client may take: after it nothing of the request
 * is under way any more.
 */
public record LongestDeadline(Duration time) {

	/** The highest value that a member may have: purges and rebuilds wait for it. */
	public static final Duration MOST = Duration.ofDays(1);

}
