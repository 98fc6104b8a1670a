package io.quorate.client;

import org.jspecify.annotations.Nullable;

/** A part of a value, by its bytes. */
public final class ByteRange {

	private final long start;

	private final long end;

	private final @Nullable String etag;

	private ByteRange(long start, long end, @Nullable String etag) {
		this.start = start;
		this.end = end;
		this.etag = etag;
	}

	/**
	 * Creates the part between two places.
	 * @param start the place of the first byte, from 0
	 * @param end the place behind the last byte
	 */
	public static ByteRange of(long start, long end) {
		if (start < 0 || end <= start) {
			throw new IllegalArgumentException("a part has 0 <= start < end, not " + start + " and " + end);
		}
		return new ByteRange(start, end, null);
	}

	/**
	 * Creates the part from a place to the end of the value.
	 * @param start the place of the first byte, from 0
	 */
	public static ByteRange from(long start) {
		return of(start, Long.MAX_VALUE);
	}

	/**
	 * Creates the part at the end of the value.
	 * @param count the number of bytes
	 */
	public static ByteRange last(long count) {
		if (count < 1) {
			throw new IllegalArgumentException("the end of a value has at least 1 byte, not " + count);
		}
		return new ByteRange(-count, Long.MAX_VALUE, null);
	}

	/**
	 * Returns the part of this version alone: a value of another version comes whole.
	 * @param version the version, as an {@code etag} names it
	 */
	public ByteRange ifRange(String version) {
		FieldValues.checkEtag(version);
		return new ByteRange(this.start, this.end, version);
	}

	String field() {
		if (this.start < 0) {
			return "bytes=" + this.start;
		}
		return "bytes=" + this.start + "-" + ((this.end == Long.MAX_VALUE) ? "" : this.end - 1);
	}

	@Nullable String etag() {
		return this.etag;
	}

	/** Returns the place of the first byte in a value of this size. */
	long first(long size) {
		return (this.start >= 0) ? this.start : Math.max(0, size + this.start);
	}

	/** Returns the place behind the last byte in a value of this size. */
	long end(long size) {
		return Math.min(this.end, size);
	}

	@Override
	public String toString() {
		return field();
	}

}
