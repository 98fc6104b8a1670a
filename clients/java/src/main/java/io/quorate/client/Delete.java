package io.quorate.client;

import java.util.List;

/**
 * A deletion of a value.
 *
 * @param key the key
 * @param ifMatch the versions of which the value must have one, as an {@code etag} names
 * them; empty for any, and for none
 */
public record Delete(String key, List<String> ifMatch) implements Item {

	/** Creates a deletion. */
	public Delete {
		Keys.check(key);
		ifMatch = List.copyOf(ifMatch);
		ifMatch.forEach(FieldValues::checkEtag);
	}

	/**
	 * Creates a deletion without a condition.
	 * @param key the key
	 */
	public static Delete of(String key) {
		return new Delete(key, List.of());
	}

	/**
	 * Returns this deletion with a condition: another version, or no value, is a
	 * {@link PreconditionFailedException}.
	 * @param etags the versions, or {@code *} for any
	 */
	public Delete ifMatch(String... etags) {
		return new Delete(this.key, FieldValues.etags(etags));
	}

}
