package io.quorate.coordinator;

import io.quorate.clock.Timestamp;

/**
 * A write that enough replicas hold durably.
 *
 * @param timestamp timestamp of its entry
 */
public record Written(Timestamp timestamp) {
}
