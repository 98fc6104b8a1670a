package io.quorate.client;

import java.nio.ByteBuffer;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/** A key and its value in a range. */
public final class RangeRecord {

	private final Metadata metadata;

	private final byte[] value;

	RangeRecord(Metadata metadata, byte[] value) {
		this.metadata = metadata;
		this.value = value;
	}

	/** Returns the key. */
	public String key() {
		return this.metadata.key();
	}

	/** Returns the version, an opaque text. */
	public String etag() {
		return this.metadata.etag();
	}

	/** Returns the media type, {@code application/octet-stream} if none was written. */
	public String contentType() {
		return this.metadata.contentType();
	}

	/** Returns the time from which the value reads as absent, {@code null} for never. */
	public @Nullable Instant expires() {
		return this.metadata.expires();
	}

	/** Returns a copy of the value. */
	public byte[] value() {
		return this.value.clone();
	}

	/** Returns the value without a copy, read-only. */
	public ByteBuffer buffer() {
		return ByteBuffer.wrap(this.value).asReadOnlyBuffer();
	}

	/** Returns the value as text, as {@link Entity#text()} does. */
	public String text() {
		return Text.of(this.value, this.metadata.contentType());
	}

	@Override
	public String toString() {
		return "RangeRecord[" + key() + ", " + this.value.length + " bytes]";
	}

}
