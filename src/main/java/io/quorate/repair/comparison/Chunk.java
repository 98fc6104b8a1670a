package io.quorate.repair.comparison;

import java.util.List;

import io.quorate.replica.comparison.RangeHash;

/**
 * A key range that is compared in one go, and its parts, which are compared if it
 * differs.
 *
 * @param parts contiguous ranges, together the whole
 */
record Chunk(RangeHash whole, List<RangeHash> parts) {

	Chunk {
		parts = List.copyOf(parts);
	}

}
