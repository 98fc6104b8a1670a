package io.quorate.replica;

import io.quorate.entry.ScanRange;
import io.quorate.storage.PageLimit;

/**
 * The request for the first page of a range.
 *
 * @param range the range, in whose direction the page goes
 * @param isHeadersOnly whether headers of the entries are wanted, and no values
 * @param above of headers only those with a higher number of arrival, 0 for all
 */
public record PageRequest(ScanRange range, PageLimit limit, boolean isHeadersOnly, long above) {

	/**
	 * A request.
	 * @throws IllegalArgumentException when it asks for values above a number
	 */
	public PageRequest {
		if (above != 0 && !isHeadersOnly) {
			throw new IllegalArgumentException("values above a number of arrival");
		}
	}

	/** A request for entries of any number. */
	public PageRequest(ScanRange range, PageLimit limit, boolean isHeadersOnly) {
		this(range, limit, isHeadersOnly, 0);
	}

}
