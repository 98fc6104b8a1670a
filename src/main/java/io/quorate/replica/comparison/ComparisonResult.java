package io.quorate.replica.comparison;

import java.util.Set;

/**
 * A node's answer to the hashes of ranges.
 *
 * @param decided number of the ranges, from the first, that it has compared; at least one
 * @param differing positions, from 0, of the ranges in which its entries differ
 */
public record ComparisonResult(int decided, Set<Integer> differing) {

	public ComparisonResult {
		differing = Set.copyOf(differing);
	}

}
