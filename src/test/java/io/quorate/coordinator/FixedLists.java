package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

import io.quorate.entry.Key;
import io.quorate.replica.Replica;

/**
 * The replica sets of a test, as many as there are nodes: each is all nodes in a circle,
 * from another start on.
 *
 * @param firstFactor replication factor of the first layout
 */
record FixedLists(int replicationFactor, List<Replica> allReplicas, int firstFactor) implements PreferenceLists {

	FixedLists(int replicationFactor, List<Replica> allReplicas) {
		this(replicationFactor, allReplicas, replicationFactor);
	}

	@Override
	public ReplicaSet replicasOf(Key key) {
		return set(listOf(key));
	}

	private ReplicaSet set(List<Replica> list) {
		return ReplicaSet.of(list, list, this.firstFactor);
	}

	/* With as many replicas as nodes at first every key has the first list. */
	private int starts() {
		int nodes = this.allReplicas.size();
		return (this.firstFactor == nodes) ? 1 : nodes;
	}

	List<Replica> listOf(Key key) {
		return list(Math.floorMod(key.hashCode(), starts()));
	}

	List<List<Replica>> lists() {
		return IntStream.range(0, starts()).mapToObj(this::list).toList();
	}

	@Override
	public Collection<ReplicaSet> everySet() {
		return lists().stream().map(this::set).toList();
	}

	private List<Replica> list(int start) {
		List<Replica> rotated = new ArrayList<>(this.allReplicas);
		Collections.rotate(rotated, -start);
		return List.copyOf(rotated.subList(0, this.replicationFactor));
	}

}
