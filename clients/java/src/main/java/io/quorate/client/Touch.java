package io.quorate.client;

import java.time.Duration;
import java.util.List;

/**
 * A request that gives a value more time to live. The value keeps its version, and to
 * repeat it does no harm.
 *
 * @param key the key
 * @param ttl the time after which the value reads as absent, unless it would do so later
 * or never
 * @param ifMatch the versions of which the value must have one, as an {@code etag} names
 * them; empty for any
 */
public record Touch(String key, Duration ttl, List<String> ifMatch) {

	/** Creates a touch. */
	public Touch {
		Keys.check(key);
		Put.checkTtl(ttl);
		ifMatch = List.copyOf(ifMatch);
		ifMatch.forEach(FieldValues::checkEtag);
	}

	/**
	 * Creates a touch without a condition.
	 * @param key the key
	 * @param ttl the time to live, in whole seconds: 1 second to 3,650 days
	 */
	public static Touch of(String key, Duration ttl) {
		return new Touch(key, ttl, List.of());
	}

	/**
	 * Returns this touch with a condition: the value of another version is a
	 * {@link PreconditionFailedException}. The holder of a lease names the version that
	 * it has created.
	 * @param etags the versions
	 */
	public Touch ifMatch(String... etags) {
		return new Touch(this.key, this.ttl, FieldValues.etags(etags));
	}

}
