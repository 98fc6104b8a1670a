package io.quorate.replica.comparison;

import java.util.Set;

/**
 * What a node says to the hashes of ranges.
 *
 * @param decided how many of the ranges, from the first, it has looked at; at least one
 * @param differing positions, from 0, of those in which it holds something else
 */
public record ComparisonResult(int decided, Set<Integer> differing) {

	public ComparisonResult {
		differing = Set.copyOf(differing);
	}

}
