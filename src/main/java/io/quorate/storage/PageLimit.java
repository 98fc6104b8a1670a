package io.quorate.storage;

/**
 * The bounds at which a page of a scan ends.
 *
 * @param records most records on the page
 * @param sizeBytes bytes of keys and values after which no further record is added; a
 * page has at least one record even if that is larger, unless all that was examined is
 * left out
 * @param examined most entries looked at, so that a long run of tombstones does not stall
 * the scan
 */
public record PageLimit(int records, int sizeBytes, int examined) {

	public PageLimit {
		if (records < 1 || sizeBytes < 1 || examined < 1) {
			throw new IllegalArgumentException("limits of a page are positive: %d records, %d bytes, %d examined"
				.formatted(records, sizeBytes, examined));
		}
	}

}
