package io.quorate.replica.comparison;

import java.util.UUID;

import io.quorate.clock.Timestamp;

/**
 * The state that a node records of itself when a comparison begins, before it reads its
 * entries.
 *
 * @param storageId identity of the data in its directory
 * @param durableSequence the highest sequence such that every entry up to it is durable
 * and visible: those are certain to be compared
 * @param purgeHorizon highest timestamp that the node may have purged
 */
public record ComparisonStart(UUID storageId, long durableSequence, Timestamp purgeHorizon) {
}
