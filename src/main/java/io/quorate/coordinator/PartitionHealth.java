package io.quorate.coordinator;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import io.quorate.ring.Member;
import io.quorate.ring.Ring;

/**
 * The counts of partitions of a ring that lack a majority or a replica, by the members
 * that are connected. Partitions with the same replicas are looked at together.
 * Immutable.
 */
final class PartitionHealth {

	private final List<String> members;

	private final int replicationFactor;

	/* Indices of members, and the number of partitions whose replicas they are. */
	private final Map<List<Integer>, Integer> partitionsByReplicas = new HashMap<>();

	PartitionHealth(Ring ring) {
		this.members = ring.members().stream().map(Member::id).toList();
		this.replicationFactor = ring.replicationFactor();
		for (int i = 0; i < Ring.PARTITIONS; i++) {
			int partition = i;
			List<Integer> replicas = IntStream.range(0, this.replicationFactor)
				.map((position) -> ring.memberIndex(partition, position))
				.sorted()
				.boxed()
				.toList();
			this.partitionsByReplicas.merge(replicas, 1, Integer::sum);
		}
	}

	/** Partitions of whose replicas no majority is connected. */
	int unavailable(Predicate<String> isConnected) {
		int majority = this.replicationFactor / 2 + 1;
		return partitions(isConnected, (connected) -> connected < majority);
	}

	/** Partitions with a replica that is not connected. */
	int degraded(Predicate<String> isConnected) {
		return partitions(isConnected, (connected) -> connected < this.replicationFactor);
	}

	private int partitions(Predicate<String> isConnected, IntPredicate isCounted) {
		boolean[] connected = new boolean[this.members.size()];
		for (int i = 0; i < connected.length; i++) {
			connected[i] = isConnected.test(this.members.get(i));
		}
		int partitions = 0;
		for (Map.Entry<List<Integer>, Integer> set : this.partitionsByReplicas.entrySet()) {
			int up = 0;
			for (int member : set.getKey()) {
				up += connected[member] ? 1 : 0;
			}
			partitions += isCounted.test(up) ? set.getValue() : 0;
		}
		return partitions;
	}

}
