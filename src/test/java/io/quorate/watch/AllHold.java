package io.quorate.watch;

import java.util.Collection;
import java.util.List;

import io.quorate.coordinator.PreferenceLists;
import io.quorate.coordinator.ReplicaSet;
import io.quorate.entry.Key;
import io.quorate.replica.Replica;

/** A layout by which every node holds every key. */
record AllHold(List<Replica> allReplicas) implements PreferenceLists {

	@Override
	public long layout() {
		return 2;
	}

	@Override
	public ReplicaSet replicasOf(Key key) {
		return ReplicaSet.of(this.allReplicas);
	}

	@Override
	public Collection<ReplicaSet> everySet() {
		return List.of(ReplicaSet.of(this.allReplicas));
	}

	@Override
	public int replicationFactor() {
		return this.allReplicas.size();
	}

}
