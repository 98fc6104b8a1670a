package io.quorate.client;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A value that has been touched.
 *
 * @param etag its version, which is the one before
 * @param expires the time from which it reads as absent, {@code null} for never
 */
public record Touched(String etag, @Nullable Instant expires) {
}
