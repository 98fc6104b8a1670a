package io.quorate.ring;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The partitions by their replicas: those with the same replicas in the same order, in
 * either ring of a change, are one group. There are few groups, six of three members, and
 * what depends on the replicas alone is made once for each. Immutable and thread-safe.
 */
public final class PartitionGroups {

	private final int[] groups = new int[Ring.PARTITIONS];

	private final int[] firsts;

	private final int[] sizes;

	private PartitionGroups(RingPair rings) {
		Map<String, Integer> known = new HashMap<>();
		int[] first = new int[Ring.PARTITIONS];
		int[] size = new int[Ring.PARTITIONS];
		int before = rings.before().replicationFactor();
		int after = rings.isOne() ? 0 : rings.after().replicationFactor();
		char[] replicas = new char[before + after];
		for (int partition = 0; partition < Ring.PARTITIONS; partition++) {
			for (int position = 0; position < before; position++) {
				replicas[position] = (char) rings.before().memberIndex(partition, position);
			}
			for (int position = 0; position < after; position++) {
				replicas[before + position] = (char) rings.after().memberIndex(partition, position);
			}
			int next = known.size();
			Integer same = known.putIfAbsent(new String(replicas), next);
			int group = (same != null) ? same : next;
			if (same == null) {
				first[group] = partition;
			}
			size[group]++;
			this.groups[partition] = group;
		}
		this.firsts = Arrays.copyOf(first, known.size());
		this.sizes = Arrays.copyOf(size, known.size());
	}

	/** The groups by the replicas of both rings. */
	public static PartitionGroups of(RingPair rings) {
		return new PartitionGroups(rings);
	}

	/** Number of groups. */
	public int count() {
		return this.firsts.length;
	}

	/** The group of a partition, from 0. */
	public int groupOf(int partition) {
		return this.groups[partition];
	}

	/** The lowest partition of a group. */
	public int firstOf(int group) {
		return this.firsts[group];
	}

	/** Number of partitions of a group. */
	public int sizeOf(int group) {
		return this.sizes[group];
	}

}
