package io.quorate.replica.comparison;

import java.util.UUID;

import io.quorate.clock.Timestamp;

/**
 * What a node notes of itself when a comparison begins, before it looks at its entries.
 *
 * @param storageId identity of the data in its directory
 * @param durableSequence the highest sequence such that every entry up to it is durable
 * and visible: those are certain to be compared
 * @param purgeHorizon highest stamp of a deletion that the node may have forgotten
 */
public record ComparisonStart(UUID storageId, long durableSequence, Timestamp purgeHorizon) {
}
