package io.quorate.spring.boot.cache;

import java.time.Duration;

import io.quorate.client.Codec;
import org.jspecify.annotations.Nullable;

/**
 * The form of the values of a cache.
 *
 * @param codec their bytes
 * @param ttl the time to live in whole seconds, {@code null} for ever
 * @param isIdle whether the time begins anew with each hit
 * @param timeout the time for a read or a write, after which it is a miss, or left out
 */
public record CacheForm(Codec<Object> codec, @Nullable Duration ttl, boolean isIdle, Duration timeout) {
}
