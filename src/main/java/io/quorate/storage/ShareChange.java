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
 * @param isWhole whether all partitions that the node does not hold are among those lost:
 * of the others it gains those that it had lost before
 * @see Store#assign
 */
public record ShareChange(long version, Set<Integer> gained, Set<Integer> lost, boolean isWhole) {

	/** A change in which the node keeps what is neither gained nor lost. */
	public ShareChange(long version, Set<Integer> gained, Set<Integer> lost) {
		this(version, gained, lost, false);
	}

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

	/** Whether no partition is named. */
	public boolean isEmpty() {
		return this.gained.isEmpty() && this.lost.isEmpty();
	}

}
