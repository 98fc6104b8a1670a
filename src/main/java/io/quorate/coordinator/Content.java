package io.quorate.coordinator;

import java.time.Duration;

import io.quorate.entry.ContentType;
import io.quorate.entry.Value;
import org.jspecify.annotations.Nullable;

/**
 * The content that a client writes under a key.
 *
 * @param value the bytes
 * @param contentType media type of the value, {@code null} for none
 * @param ttl time after which the value reads as absent, or {@code null} for never
 */
public record Content(Value value, @Nullable ContentType contentType, @Nullable Duration ttl) {

	/** A value without a content type, for ever. */
	public static Content of(Value value) {
		return new Content(value, null, null);
	}

}
