package io.quorate.client;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * All of an entity but its value.
 *
 * @param key the key
 * @param etag the version, an opaque text
 * @param size number of bytes of the whole value
 * @param contentType the media type, {@code application/octet-stream} if none was written
 * @param lastModified the time of the write in whole seconds; {@code null} in a batch,
 * whose answers do not have it
 * @param expires the time from which the value reads as absent, {@code null} for never
 */
public record Metadata(String key, String etag, long size, String contentType, @Nullable Instant lastModified,
		@Nullable Instant expires) {

	static final String OCTETS = "application/octet-stream";

}
