package io.quorate.coordinator;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import io.quorate.ring.Member;
import io.quorate.ring.PartitionGroups;
import io.quorate.ring.RingPair;

/**
 * The counts of partitions that lack a majority or a replica, by the members that are
 * connected. While a change of the layout is under way, a partition lacks what its
 * replicas of before or those of after the change lack. Partitions with the same replicas
 * are looked at together. Immutable.
 */
final class PartitionHealth {

	/* Number of partitions that have these replicas. */
	private final Map<Sides, Integer> partitionsByReplicas = new HashMap<>();

	PartitionHealth(RingPair rings) {
		PartitionGroups groups = PartitionGroups.of(rings);
		for (int group = 0; group < groups.count(); group++) {
			int partition = groups.firstOf(group);
			Sides replicas = new Sides(ids(rings.replicasBefore(partition)), ids(rings.replicasAfter(partition)));
			this.partitionsByReplicas.merge(replicas, groups.sizeOf(group), Integer::sum);
		}
	}

	private static List<String> ids(List<Member> replicas) {
		return replicas.stream().map(Member::id).sorted().toList();
	}

	/** Partitions of whose replicas no majority is connected. */
	int unavailable(Predicate<String> isConnected) {
		return partitions((replicas) -> connected(replicas, isConnected) <= replicas.size() / 2);
	}

	/** Partitions with a replica that is not connected. */
	int degraded(Predicate<String> isConnected) {
		return partitions((replicas) -> connected(replicas, isConnected) < replicas.size());
	}

	private static long connected(List<String> replicas, Predicate<String> isConnected) {
		return replicas.stream().filter(isConnected).count();
	}

	private int partitions(Predicate<List<String>> lacks) {
		return this.partitionsByReplicas.entrySet()
			.stream()
			.filter((each) -> lacks.test(each.getKey().before()) || lacks.test(each.getKey().after()))
			.mapToInt(Map.Entry::getValue)
			.sum();
	}

	/**
	 * The replicas of a partition, in the order of their ids.
	 */
	private record Sides(List<String> before, List<String> after) {
	}

}
