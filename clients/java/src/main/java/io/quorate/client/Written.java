package io.quorate.client;

import org.jspecify.annotations.Nullable;

/**
 * An acknowledged write or deletion.
 *
 * @param etag the version that was written
 * @param replayed {@code true} if an earlier attempt of the call had done it; others may
 * have written the key since
 * @param current the version that the key has by now, if it was replayed; {@code null} if
 * it has no value, and without a replay
 */
public record Written(String etag, boolean replayed, @Nullable String current) implements ItemResult {

	/**
	 * Creates the result of a write that was not replayed.
	 * @param etag the version that was written
	 */
	public Written(String etag) {
		this(etag, false, null);
	}

}
