package io.quorate.client;

import java.nio.ByteBuffer;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.UnsupportedCharsetException;

/** A key with its value, or with a part of it. */
public final class Entity implements ReadResult {

	private final Metadata metadata;

	private final byte[] value;

	private final long offset;

	Entity(Metadata metadata, byte[] value, long offset) {
		this.metadata = metadata;
		this.value = value;
		this.offset = offset;
	}

	/** Returns all that the node says of the value. */
	public Metadata metadata() {
		return this.metadata;
	}

	/** Returns the key. */
	public String key() {
		return this.metadata.key();
	}

	/** Returns the version, an opaque text. */
	public String etag() {
		return this.metadata.etag();
	}

	/** Returns a copy of the bytes of the value, or of the part. */
	public byte[] value() {
		return this.value.clone();
	}

	/** Returns the bytes without a copy, read-only. */
	public ByteBuffer buffer() {
		return ByteBuffer.wrap(this.value).asReadOnlyBuffer();
	}

	/** Returns the place of the first byte of the part in the whole value. */
	public long offset() {
		return this.offset;
	}

	/** Returns {@code true} if this is the whole value. */
	public boolean isWhole() {
		return this.value.length == this.metadata.size();
	}

	/**
	 * Returns the value as text, by the {@code charset} of its type, or else as UTF-8.
	 * @throws IllegalStateException if its bytes are no such text
	 * @throws UnsupportedCharsetException if the runtime does not have the charset
	 * @throws IllegalCharsetNameException if the type names no charset
	 */
	public String text() {
		return Text.of(this.value, this.metadata.contentType());
	}

	@Override
	public String toString() {
		return "Entity[" + this.metadata + ", " + this.value.length + " bytes from " + this.offset + "]";
	}

}
