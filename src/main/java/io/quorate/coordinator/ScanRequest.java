package io.quorate.coordinator;

import java.time.Duration;

import io.quorate.entry.Key;
import org.jspecify.annotations.Nullable;

/**
 * The request to scan a range.
 *
 * @param start first key, inclusive
 * @param end end of the range, exclusive, or {@code null} for the end
 * @param limit most records of the whole scan, {@link Long#MAX_VALUE} for all
 * @param timeout time that each page may take
 * @param permit counts the bytes that the scan holds, those of the records that it
 * returned last included; the caller closes it
 * @param timeline timeline that records the scan
 */
public record ScanRequest(Key start, @Nullable Key end, long limit, Consistency consistency, Duration timeout,
		Admission.Permit permit, RequestTimeline timeline) {
}
