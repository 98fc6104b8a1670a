package io.quorate.client;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/** A write of a value, also over another one, unless it has a condition. */
public final class Put implements Item {

	private static final String TEXT = "text/plain; charset=utf-8";

	private static final String NO_VALUE = "a value is text or bytes, not null: a deletion removes one";

	private static final Duration SHORTEST = Duration.ofSeconds(1);

	private static final Duration LONGEST = Duration.ofDays(3_650);

	/* As no time to live of a caller can be. */
	private static final Duration KEEP = Duration.ZERO;

	private final String key;

	private final byte[] value;

	private final @Nullable String contentType;

	private final @Nullable Duration ttl;

	private final List<String> ifMatch;

	private final List<String> ifNoneMatch;

	private Put(String key, byte[] value, @Nullable String contentType, @Nullable Duration ttl, List<String> ifMatch,
			List<String> ifNoneMatch) {
		this.key = key;
		this.value = value;
		this.contentType = contentType;
		this.ttl = ttl;
		this.ifMatch = ifMatch;
		this.ifNoneMatch = ifNoneMatch;
	}

	/**
	 * Creates a write of bytes.
	 * @param key the key
	 * @param value the value, which is copied
	 */
	public static Put of(String key, byte[] value) {
		Keys.check(key);
		Objects.requireNonNull(value, NO_VALUE);
		return new Put(key, value.clone(), null, null, List.of(), List.of());
	}

	/**
	 * Creates a write of text as UTF-8, with the type {@code text/plain; charset=utf-8}.
	 * @param key the key
	 * @param text the value
	 * @throws IllegalArgumentException if the text has half of a surrogate pair
	 */
	public static Put of(String key, String text) {
		Keys.check(key);
		Objects.requireNonNull(text, NO_VALUE);
		try {
			ByteBuffer encoded = Text.encode(text);
			byte[] value = new byte[encoded.remaining()];
			encoded.get(value);
			return new Put(key, value, TEXT, null, List.of(), List.of());
		}
		catch (CharacterCodingException failure) {
			throw new IllegalArgumentException("a value that is text has no half of a surrogate pair", failure);
		}
	}

	/**
	 * Creates a write of an object, with the media type of its codec.
	 * @param <T> the type of the object
	 * @param key the key
	 * @param value the object
	 * @param codec the codec
	 */
	public static <T> Put of(String key, T value, Codec<T> codec) {
		return of(key, codec.encode(value)).contentType(codec.contentType());
	}

	/**
	 * Returns this write with another media type, which the cluster keeps.
	 * @param type the media type
	 */
	public Put contentType(String type) {
		FieldValues.checkMediaType(type);
		return new Put(this.key, this.value, type, this.ttl, this.ifMatch, this.ifNoneMatch);
	}

	/**
	 * Returns this write with a time to live.
	 * @param time the time after which the value reads as absent, in whole seconds: 1
	 * second to 3,650 days
	 */
	public Put ttl(Duration time) {
		checkTtl(time);
		return with(time);
	}

	/**
	 * Returns this write with the expiry of the value that it replaces. It needs a
	 * condition.
	 */
	public Put keepTtl() {
		return with(KEEP);
	}

	private Put with(Duration time) {
		return new Put(this.key, this.value, this.contentType, time, this.ifMatch, this.ifNoneMatch);
	}

	/**
	 * Returns this write with a condition: another version, or no value, is a
	 * {@link PreconditionFailedException}.
	 * @param etags the versions, or {@code *} for any
	 */
	public Put ifMatch(String... etags) {
		return new Put(this.key, this.value, this.contentType, this.ttl, FieldValues.etags(etags), this.ifNoneMatch);
	}

	/**
	 * Returns this write with a condition: one of these versions is a
	 * {@link PreconditionFailedException}.
	 * @param etags the versions, or {@code *} for any
	 */
	public Put ifNoneMatch(String... etags) {
		return new Put(this.key, this.value, this.contentType, this.ttl, this.ifMatch, FieldValues.etags(etags));
	}

	/**
	 * Returns this write with a condition: a value under the key is a
	 * {@link PreconditionFailedException}.
	 */
	public Put ifAbsent() {
		return ifNoneMatch("*");
	}

	/** Returns this write on no value. */
	Put ifMatchNothing() {
		return new Put(this.key, this.value, this.contentType, this.ttl, List.of(), List.of("*"));
	}

	/**
	 * Returns this write on a version, with the expiry of that if it has none of its own.
	 */
	Put over(String etag) {
		return new Put(this.key, this.value, this.contentType, (this.ttl != null) ? this.ttl : KEEP, List.of(etag),
				List.of());
	}

	static void checkTtl(Duration time) {
		Objects.requireNonNull(time, "a time to live is a duration, not null: a put without one lives for ever");
		if (time.toNanosPart() != 0) {
			throw new IllegalArgumentException("a time to live has whole seconds, not " + time);
		}
		if (time.compareTo(SHORTEST) < 0 || time.compareTo(LONGEST) > 0) {
			throw new IllegalArgumentException("a time to live is 1 second to 3,650 days, not " + time);
		}
	}

	@Override
	public String key() {
		return this.key;
	}

	byte[] bytes() {
		return this.value;
	}

	@Nullable String contentType() {
		return this.contentType;
	}

	/** Returns the seconds as a number, {@code keep}, or nothing. */
	@Nullable Object ttl() {
		if (this.ttl == null) {
			return null;
		}
		return this.ttl.equals(KEEP) ? "keep" : this.ttl.toSeconds();
	}

	List<String> ifMatch() {
		return this.ifMatch;
	}

	List<String> ifNoneMatch() {
		return this.ifNoneMatch;
	}

	@Override
	public String toString() {
		return "Put[key=" + this.key + ", " + this.value.length + " bytes]";
	}

}
