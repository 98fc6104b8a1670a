package io.quorate.replica;

import io.quorate.entry.Condition;
import io.quorate.entry.Entry;

/**
 * A write of a register that its coordinator hands to the node where the writes of that
 * key meet. Whoever takes it gives it its version.
 *
 * @param condition condition on the version that is replaced
 * @param ack number of replicas that must hold the entry, 0 for a majority
 * @param ttlMillis time after which the value reads as absent, 0 for never
 * @param content the value or the deletion; its timestamp means nothing
 */
public record Handover(Condition condition, int ack, long ttlMillis, Entry content) {
}
