package io.quorate.client;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The answer that the value is still of a version that the caller has.
 *
 * @param etag the version
 * @param expires the time from which the value reads as absent, {@code null} for never
 */
public record NotModified(String etag, @Nullable Instant expires) implements ReadResult {
}
