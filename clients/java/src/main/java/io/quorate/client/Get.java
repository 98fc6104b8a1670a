package io.quorate.client;

import java.util.List;

/**
 * A read of a value.
 *
 * @param key the key
 * @param ifMatch the versions that the caller wants, as an {@code etag} names them; empty
 * for any
 * @param ifNoneMatch the versions that the caller has already; empty for none
 */
public record Get(String key, List<String> ifMatch, List<String> ifNoneMatch) implements Item {

	/** Creates a read. */
	public Get {
		Keys.check(key);
		ifMatch = List.copyOf(ifMatch);
		ifNoneMatch = List.copyOf(ifNoneMatch);
		ifMatch.forEach(FieldValues::checkEtag);
		ifNoneMatch.forEach(FieldValues::checkEtag);
	}

	/**
	 * Creates a read without a condition.
	 * @param key the key
	 */
	public static Get of(String key) {
		return new Get(key, List.of(), List.of());
	}

	/**
	 * Returns this read with a condition: the value of another version is a
	 * {@link PreconditionFailedException}.
	 * @param etags the versions that the caller wants
	 */
	public Get ifMatch(String... etags) {
		return new Get(this.key, FieldValues.etags(etags), this.ifNoneMatch);
	}

	/**
	 * Returns this read with a condition: the value of one of these versions is
	 * {@link NotModified}.
	 * @param etags the versions that the caller has
	 */
	public Get ifNoneMatch(String... etags) {
		return new Get(this.key, this.ifMatch, FieldValues.etags(etags));
	}

}
