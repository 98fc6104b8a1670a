package io.quorate.client;

/**
 * The error of one item of a batch.
 *
 * @param error the error, which is not thrown
 */
public record FailedItem(QuorateException error) implements ItemResult {
}
