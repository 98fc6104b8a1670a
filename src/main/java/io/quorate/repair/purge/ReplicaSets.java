package io.quorate.repair.purge;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

import io.quorate.entry.Key;
import io.quorate.ring.Member;
import io.quorate.ring.PartitionGroups;
import io.quorate.ring.RingPair;

/**
 * The other replicas of the keys of this node: the other members among the first
 * {@code replication-factor} of each partition's order on the ring. All of them count for
 * a deletion, because any number of copies could have reached them. While a change of the
 * layout is under way, the replicas are those by either ring. Immutable.
 */
public final class ReplicaSets {

	private static final int NOT_OURS = -1;

	private final RingPair rings;

	private final PartitionGroups groups;

	/*
	 * Of each group of partitions the set of their other replicas, by its place in the
	 * list.
	 */
	private final int[] setOfGroup;

	private final List<List<String>> sets = new ArrayList<>();

	ReplicaSets(RingPair rings, String self) {
		this.rings = rings;
		this.groups = PartitionGroups.of(rings);
		this.setOfGroup = new int[this.groups.count()];
		Map<Set<String>, Integer> places = new HashMap<>();
		Arrays.fill(this.setOfGroup, NOT_OURS);
		for (int group = 0; group < this.groups.count(); group++) {
			Set<String> replicas = rings.replicas(this.groups.firstOf(group))
				.stream()
				.map(Member::id)
				.collect(Collectors.toCollection(TreeSet::new));
			if (replicas.remove(self)) {
				this.setOfGroup[group] = places.computeIfAbsent(replicas, (others) -> {
					this.sets.add(List.copyOf(others));
					return this.sets.size() - 1;
				});
			}
		}
	}

	/**
	 * Number of the set of a key's other replicas, or a negative number when this node is
	 * none of the key's replicas.
	 */
	int setOf(Key key) {
		return this.setOfGroup[this.groups.groupOf(this.rings.partitionOf(key))];
	}

	/** Number of sets. */
	int count() {
		return this.sets.size();
	}

	/** The other replicas of a set. */
	List<String> replicasOf(int set) {
		return this.sets.get(set);
	}

	/** Members that share a partition with this node. */
	public Set<String> sharing() {
		Set<String> all = new TreeSet<>();
		this.sets.forEach(all::addAll);
		return all;
	}

	/**
	 * The highest value that all replicas of any one set have reached.
	 * @param of value of a member, compared unsigned
	 */
	long highest(ToLongFunction<String> of) {
		return this.sets.stream()
			.mapToLong((set) -> lowest(set, of))
			.reduce(0, (one, other) -> (Long.compareUnsigned(one, other) >= 0) ? one : other);
	}

	/** As {@link #highest}, of the sets that have a member. */
	long highestWith(String member, ToLongFunction<String> of) {
		return this.sets.stream()
			.filter((set) -> set.contains(member))
			.mapToLong((set) -> lowest(set, of))
			.reduce(0, (one, other) -> (Long.compareUnsigned(one, other) >= 0) ? one : other);
	}

	private static long lowest(List<String> set, ToLongFunction<String> of) {
		return set.stream()
			.mapToLong(of)
			.reduce(-1, (one, other) -> (Long.compareUnsigned(one, other) <= 0) ? one : other);
	}

}
