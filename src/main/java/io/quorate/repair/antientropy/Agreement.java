package io.quorate.repair.antientropy;

import io.quorate.replica.comparison.ComparisonStart;
import io.quorate.replica.comparison.Round;

/**
 * The proof, from a completed comparison, that two nodes hold the same entries: purges of
 * tombstones rest on it. Each entry that one node held durably when it noted its
 * sequence, with a timestamp up to the round's instant, the other node holds durably, or
 * a newer one, as far as both must hold it.
 *
 * @param peer id of the other node
 * @param ours start values that this node noted when the round began
 * @param theirs start values that the other node noted
 */
public record Agreement(String peer, Round round, ComparisonStart ours, ComparisonStart theirs) {
}
