package io.quorate.coordinator;

/**
 * The largest value that this cluster takes.
 *
 * @param maxSizeBytes its size in bytes
 */
public record ValueLimit(int maxSizeBytes) {
}
