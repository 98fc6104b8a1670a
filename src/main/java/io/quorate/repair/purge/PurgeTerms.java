package io.quorate.repair.purge;

import java.time.Duration;

/**
 * The least time for which deletions are kept, and the longest that a request may take.
 *
 * @param grace age at which a deletion may be purged, if all replicas have agreed
 * @param longestDeadline longest time that a request may take
 */
public record PurgeTerms(Duration grace, Duration longestDeadline) {
}
