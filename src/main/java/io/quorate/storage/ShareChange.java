package io.quorate.storage;

import java.util.Collections;
import java.util.Set;

import io.quorate.entry.Partitions;

/**
 * The partitions that a node gains and loses with a version of the layout of the cluster.
 * Of all others it keeps what it has, or has nothing.
 *
 * @param version version of the layout, at least 1
 * @param gained numbers of the partitions whose keys the node holds from now on, and
 * whose earlier entries in its store do not count
 * @param lost numbers of the partitions whose keys the node does not hold any more
 * @see Store#assign
 */
public record ShareChange(long version, Set<Integer> gained, Set<Integer> lost) {

	public ShareChange {
		gained = Set.copyOf(gained);
		lost = Set.copyOf(lost);
		if (version < 1 || !Collections.disjoint(gained, lost)) {
			throw new IllegalArgumentException(
					"version %d of the layout cannot have the node both gain and lose a partition".formatted(version));
		}
		gained.forEach(ShareChange::requirePartition);
		lost.forEach(ShareChange::requirePartition);
	}

	private static void requirePartition(int number) {
		if (number < 0 || number >= Partitions.COUNT) {
			throw new IllegalArgumentException("there is no partition %d".formatted(number));
		}
	}

	/** Whether the node keeps all that it holds, and nothing else. */
	public boolean isEmpty() {
		return this.gained.isEmpty() && this.lost.isEmpty();
	}

}
