package io.quorate.coordinator;

import java.util.Collection;
import java.util.List;

import io.quorate.entry.Key;
import io.quorate.replica.Replica;

/** The replica set of each key by one layout, as a list of nodes. Immutable. */
public interface PreferenceLists {

	/**
	 * The replicas of a key, the most preferred first, as many as the replication factor.
	 */
	List<Replica> replicasOf(Key key);

	/** Every replica set that some key has, each once. */
	Collection<List<Replica>> everyList();

	/** Every node of the cluster, each once. */
	List<Replica> allReplicas();

	/** The replication factor: the greatest number of nodes that hold a key. */
	int replicationFactor();

	/** The one replica set of a cluster of one node. */
	static PreferenceLists alone(Replica replica) {
		List<Replica> all = List.of(replica);
		return new PreferenceLists() {

			@Override
			public List<Replica> replicasOf(Key key) {
				return all;
			}

			@Override
			public Collection<List<Replica>> everyList() {
				return List.of(all);
			}

			@Override
			public List<Replica> allReplicas() {
				return all;
			}

			@Override
			public int replicationFactor() {
				return 1;
			}

		};
	}

}
