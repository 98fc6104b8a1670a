package io.quorate.client;

/**
 * The absence of a value: the key was never written, was deleted or has expired.
 *
 * @param key the key
 */
public record NoValue(String key) implements ReadResult {
}
