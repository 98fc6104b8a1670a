package io.quorate.replica;

import io.quorate.entry.KeyRanges;
import io.quorate.storage.Arrivals;

/**
 * The request for the entries that have arrived at a replica behind a number.
 *
 * @param ranges keys that are asked for
 * @param epoch epoch of the number
 * @param after number of arrival, or {@link Arrivals#NOW}
 * @param waitMillis time that the replica waits for an arrival if there is none, at most
 * {@value #MOST_WAIT_MILLIS}
 */
public record ChangesRequest(KeyRanges ranges, long epoch, long after, int waitMillis) {

	/** Longest time that a replica waits. */
	public static final int MOST_WAIT_MILLIS = 1000;

	/** Greatest number of arrivals of a reply. */
	public static final int MOST_NAMES = 1024;

	/**
	 * Bytes of arrivals after which a reply ends: it is no large message between nodes,
	 * so it waits for no large value.
	 */
	public static final int MOST_BYTES = 56 * 1024;

}
