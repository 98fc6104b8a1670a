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
 */
record FixedLists(int replicationFactor, List<Replica> allReplicas) implements PreferenceLists {

	@Override
	public ReplicaSet replicasOf(Key key) {
		return ReplicaSet.of(listOf(key));
	}

	/* With as many replicas as nodes every key has the first list. */
	private int starts() {
		int nodes = this.allReplicas.size();
		return (this.replicationFactor == nodes) ? 1 : nodes;
	}

	List<Replica> listOf(Key key) {
		return list(Math.floorMod(key.hashCode(), starts()));
	}

	List<List<Replica>> lists() {
		return IntStream.range(0, starts()).mapToObj(this::list).toList();
	}

	@Override
	public Collection<ReplicaSet> everySet() {
		return lists().stream().map(ReplicaSet::of).toList();
	}

	private List<Replica> list(int start) {
		List<Replica> rotated = new ArrayList<>(this.allReplicas);
		Collections.rotate(rotated, -start);
		return List.copyOf(rotated.subList(0, this.replicationFactor));
	}

}
