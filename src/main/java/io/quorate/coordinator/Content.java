package io.quorate.coordinator;

import java.time.Duration;

import io.quorate.entry.ContentType;
import io.quorate.entry.Value;
import io.quorate.replica.Handover;
import org.jspecify.annotations.Nullable;

/**
 * The content that a client writes under a key.
 *
 * @param value the bytes
 * @param contentType media type of the value, {@code null} for none
 * @param ttl time after which the value reads as absent, {@code null} for never, or, on a
 * condition, {@link #KEEP}
 */
public record Content(Value value, @Nullable ContentType contentType, @Nullable Duration ttl) {

	/**
	 * In the place of a time to live: the value expires when the one before would have.
	 */
	public static final Duration KEEP = Duration.ofMillis(Handover.KEEP);

	/** A value without a content type, for ever. */
	public static Content of(Value value) {
		return new Content(value, null, null);
	}

}
