package io.quorate.coordinator;

import java.util.Collection;
import java.util.List;

import io.quorate.entry.Key;
import io.quorate.replica.Replica;

/** The replica set of each key by one layout. Immutable. */
public interface PreferenceLists {

	/** Version of the layout. */
	default long layout() {
		return Replica.UNPLANNED;
	}

	/** The replicas of a key. */
	ReplicaSet replicasOf(Key key);

	/** Every replica set that some key has, each once. */
	Collection<ReplicaSet> everySet();

	/** Every node of the cluster, each once. */
	List<Replica> allReplicas();

	/**
	 * The replication factor: the greatest number of nodes that hold a key. While it is
	 * being changed, the greater one.
	 */
	int replicationFactor();

	/** The one replica set of a cluster of one node. */
	static PreferenceLists alone(Replica replica) {
		ReplicaSet set = ReplicaSet.of(List.of(replica));
		return new PreferenceLists() {

			@Override
			public ReplicaSet replicasOf(Key key) {
				return set;
			}

			@Override
			public Collection<ReplicaSet> everySet() {
				return List.of(set);
			}

			@Override
			public List<Replica> allReplicas() {
				return set.replicas();
			}

			@Override
			public int replicationFactor() {
				return 1;
			}

		};
	}

}
