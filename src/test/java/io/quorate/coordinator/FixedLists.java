package io.quorate.coordinator;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

import io.quorate.entry.Key;
import io.quorate.replica.Replica;

/**
 * The replica sets of a test, as many as there are nodes: each is all nodes in a circle,
 * from another start on.
 */
record FixedLists(int replicationFactor, List<Replica> allReplicas) implements PreferenceLists {

	@Override
	public List<Replica> replicasOf(Key key) {
		/* With as many replicas as nodes every key has the first list. */
		int nodes = this.allReplicas.size();
		return list((this.replicationFactor == nodes) ? 0 : Math.floorMod(key.hashCode(), nodes));
	}

	@Override
	public Collection<List<Replica>> everyList() {
		List<List<Replica>> lists = new ArrayList<>();
		for (int i = 0; i < this.allReplicas.size(); i++) {
			lists.add(list(i));
		}
		return lists;
	}

	private List<Replica> list(int start) {
		List<Replica> rotated = new ArrayList<>(this.allReplicas);
		Collections.rotate(rotated, -start);
		return List.copyOf(rotated.subList(0, this.replicationFactor));
	}

}
