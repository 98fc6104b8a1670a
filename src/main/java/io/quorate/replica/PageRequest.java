package io.quorate.replica;

import io.quorate.entry.ScanRange;
import io.quorate.storage.PageLimit;

/**
 * The request for the first page of a range.
 *
 * @param range the range, in whose direction the page goes
 * @param isHeadersOnly whether headers of the entries are wanted, and no values
 */
public record PageRequest(ScanRange range, PageLimit limit, boolean isHeadersOnly) {
}
