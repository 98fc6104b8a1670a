package io.quorate.client;

/**
 * A deletion of a value.
 *
 * @param key the key
 */
public record Delete(String key) implements Item {

	/** Creates a deletion. */
	public Delete {
		Keys.check(key);
	}

	/**
	 * Creates a deletion.
	 * @param key the key
	 */
	public static Delete of(String key) {
		return new Delete(key);
	}

}
