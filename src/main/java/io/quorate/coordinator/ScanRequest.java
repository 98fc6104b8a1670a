package io.quorate.coordinator;

import java.time.Duration;

import io.quorate.entry.ScanRange;

/**
 * The request to scan a range.
 *
 * @param wanted the records that are wanted
 * @param timeout time that each page may take
 * @param permit counts the bytes that the scan holds, those of the records that it
 * returned last included; the caller closes it
 * @param timeline timeline that records the scan
 */
public record ScanRequest(Wanted wanted, Consistency consistency, Duration timeout, Admission.Permit permit,
		RequestTimeline timeline) {

	/**
	 * The records that a scan wants.
	 *
	 * @param range their range, in whose direction they come
	 * @param isKeysOnly whether only keys and summaries are wanted, and no values
	 * @param limit most records of the whole scan, {@link Long#MAX_VALUE} for all
	 */
	public record Wanted(ScanRange range, boolean isKeysOnly, long limit) {
	}

}
