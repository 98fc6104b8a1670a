package io.quorate.client;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A key in a range of keys.
 *
 * @param key the key
 * @param etag the version of the value
 * @param size number of bytes of the value
 * @param expires the time from which the value reads as absent, {@code null} for never
 */
public record KeyRecord(String key, String etag, long size, @Nullable Instant expires) {
}
