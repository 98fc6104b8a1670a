package io.quorate.coordinator;

import io.quorate.clock.Timestamp;

/**
 * A value whose time to live was renewed.
 *
 * @param version its version, which is the same as before
 * @param expiryMillis instant from which on it reads as absent, in milliseconds since the
 * epoch, or {@link io.quorate.entry.Entry#NEVER}
 */
public record Touched(Timestamp version, long expiryMillis) {
}
