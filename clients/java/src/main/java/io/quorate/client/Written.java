package io.quorate.client;

/**
 * An acknowledged write or deletion.
 *
 * @param etag the version that was written
 */
public record Written(String etag) implements ItemResult {
}
