package io.quorate.repair.antientropy;

import io.quorate.replica.comparison.ComparisonStart;
import io.quorate.replica.comparison.Round;

/**
 * What a completed round says of two nodes: whatever either held durably when it noted
 * its sequence, stamped at most at the round's instant, the other holds durably, or
 * something newer, as far as both must hold it.
 *
 * @param peer id of the other node
 * @param ours what this node noted when the round began
 * @param theirs what the other node noted
 */
public record Agreement(String peer, Round round, ComparisonStart ours, ComparisonStart theirs) {
}
