package io.quorate.storage;

import java.util.Set;

import io.quorate.entry.PartitionSet;

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
public record ShareChange(long version, PartitionSet gained, PartitionSet lost, boolean isWhole) {

	/** A change in which the node keeps what is neither gained nor lost. */
	public ShareChange(long version, Set<Integer> gained, Set<Integer> lost) {
		this(version, gained, lost, false);
	}

	/** A change of the partitions with these numbers. */
	public ShareChange(long version, Set<Integer> gained, Set<Integer> lost, boolean isWhole) {
		this(version, PartitionSet.of(gained), PartitionSet.of(lost), isWhole);
	}

	public ShareChange {
		if (version < 1 || gained.intersects(lost)) {
			throw new IllegalArgumentException(
					"version %d of the layout cannot have the node both gain and lose a partition".formatted(version));
		}
	}

	/** Whether no partition is named. */
	public boolean isEmpty() {
		return this.gained.isEmpty() && this.lost.isEmpty();
	}

}
